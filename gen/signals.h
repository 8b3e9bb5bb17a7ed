/* Signals that end a program, put off until it has cleaned up. */
#ifndef MXG_GEN_SIGNALS_H
#define MXG_GEN_SIGNALS_H

/* From now on SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGPIPE stay pending; the returned file, which nobody is to read, is
 * ready to be read when one is. -1 after a report. */
int gen_signals_hold(void);

/* Closes the file and lets what is pending have its effect: usually that ends the process, by that signal. */
void gen_signals_release(int file);

#endif
