// Two threads book the same sum on both sides of a ledger, under its lock.
#include <pthread.h>

extern void reach_error(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int paid;
int received;

void *book(void *unused)
{
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&lock);
        paid = paid + 1;
        received = received + 1;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, book, 0);
    pthread_create(&b, 0, book, 0);
    pthread_mutex_lock(&lock);
    if (paid != received) {
        reach_error();
    }
    pthread_mutex_unlock(&lock);
    return 0;
}
