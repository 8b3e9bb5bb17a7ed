/* A client of GNU make's jobserver: a pipe with a byte for each process that may run beside those that run already.
 * Whoever starts one takes a byte and puts it back at its end; one process needs none, since make has counted it. */
#ifndef MXG_GEN_JOBSERVER_H
#define MXG_GEN_JOBSERVER_H

#include <stddef.h>

struct gen_jobserver {
    int read_end, write_end; /* -1: there is none */
    char *tokens;            /* taken and not given back */
    size_t held;
};

/* Opens what MAKEFLAGS (the environment's, or NULL) names: --jobserver-auth=R,W or =fifo:PATH, or --jobserver-fds=R,W
 * of make before 4.2. make leaves the name where it closes the pipe, in recipes that are not marked with a +, so what
 * is no open pipe is no jobserver. Returns whether there is one. */
int gen_jobserver_open(struct gen_jobserver *jobserver, const char *makeflags);

/* Takes a token: 1, or 0 if there is none now; what to poll for is read_end. A jobserver that breaks is closed. */
int gen_jobserver_take(struct gen_jobserver *jobserver);

/* Gives tokens back until only `keep` are held. */
void gen_jobserver_give(struct gen_jobserver *jobserver, size_t keep);

/* Gives all back. */
void gen_jobserver_close(struct gen_jobserver *jobserver);

#endif
