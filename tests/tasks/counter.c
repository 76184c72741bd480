// Two threads add under a lock.
#include <pthread.h>

extern void reach_error(void);

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = total;
    total = seen + 1;
    pthread_mutex_unlock(&lock);
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
