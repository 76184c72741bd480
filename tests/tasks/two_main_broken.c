// A program of two files: this one has threads.
#include "counter.h"
#include <pthread.h>

extern void reach_error(void);

static int step = 2;

struct counter counter = {0, 4};

void *count(void *unused)
{
    (void)unused;
    next(&counter);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    pthread_join(t, 0);
    if (next(&counter) + step != 3) {
        reach_error();
    }
    return 0;
}
