// relyant: --property no-data-race
// A semaphore that starts with one lets one thread at a time in, of up to six.
#include <pthread.h>
#include <semaphore.h>
int __VERIFIER_nondet_int(void);
sem_t entry;
int last;
static void *enter(void *unused)
{
    sem_wait(&entry);
    last = __VERIFIER_nondet_int();
    sem_post(&entry);
    return unused;
}
int main(void)
{
    pthread_t all[6];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 6)
        return 0;
    sem_init(&entry, 0, 1);
    for (int k = 0; k < n; k++)
        pthread_create(&all[k], NULL, enter, NULL);
    for (int k = 0; k < n; k++)
        pthread_join(all[k], NULL);
    return last;
}
