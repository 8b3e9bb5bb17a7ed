/* A race, by which tests/run.sh knows that the thread sanitizer works where it runs: without its report a clean run
 * would mean nothing. */
#include <pthread.h>
#include <stddef.h>

static int shared;

static void *add(void *user)
{
    shared++;
    return user;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, add, NULL)) return 2;
    shared++;
    return pthread_join(thread, NULL) ? 2 : 0;
}
