#define _GNU_SOURCE
#include "gen/signals.h"

#include "gen/text.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Signals are the process's, and so is what they were before. */
static sigset_t before;

int gen_signals_hold(void)
{
    static const int held[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
        struct sigaction action;
        /* What is ignored, as by nohup, stays without effect; while it is blocked it would be seen. */
        if (sigaction(held[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN) sigaddset(&set, held[i]);
    }
    int file = signalfd(-1, &set, SFD_CLOEXEC);
    if (file < 0) return gen_error("cannot wait for signals: %s", strerror(errno));
    sigprocmask(SIG_BLOCK, &set, &before);
    return file;
}

void gen_signals_release(int file)
{
    close(file);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
