// A thread counts to three and opens the door; main waits for it in a loop.
#include <pthread.h>

extern void reach_error(void);

int steps;
int open;

void *walk(void *unused)
{
    while (steps < 3) {
        steps = steps + 1;
    }
    open = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, walk, 0);
    while (!open) {
    }
    if (steps != 3) {
        reach_error();
    }
    return 0;
}
