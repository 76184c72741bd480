// A trywait fails with -1 where the count is 0; getvalue gives the count.
#include <assert.h>
#include <semaphore.h>
int main(void) {
    sem_t s;
    int v;
    sem_init(&s, 0, 1);
    int r = sem_trywait(&s);
    assert(r == 0);
    r = sem_trywait(&s);
    assert(r == 0);
    sem_post(&s);
    sem_post(&s);
    sem_getvalue(&s, &v);
    assert(v == 2);
}
