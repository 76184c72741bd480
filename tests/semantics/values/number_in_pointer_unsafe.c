// real: yes
// A negative number in a pointer is a large unsigned one.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
void *answer(void *p) {
    return (void *)(intptr_t)-(intptr_t)p;
}
int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, answer, (void *)3);
    pthread_join(t, &r);
    assert((uintptr_t)r <= 100);
}
