// Two threads add without a lock.
#include <pthread.h>

extern void reach_error(void);

int total;

void *add(void *unused)
{
    int seen = total;
    total = seen + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (total != 2) {
        reach_error();
    }
    return 0;
}
