// real: yes
// A number that goes through a pointer is the same number in each integer type.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static void *failed = (void *)-12L;
void *answer(void *p) {
    return (void *)(intptr_t)-(intptr_t)p;
}
int main(void) {
    pthread_t t;
    void *r, *all = (void *)~0ul;
    pthread_create(&t, 0, answer, (void *)3);
    pthread_join(t, &r);
    assert((uintptr_t)r == UINTPTR_MAX - 2 && (long)r == -3);
    assert(all == (void *)-1L && (long)all == -1);
    assert((unsigned long)failed > 4095);
    for (int i = -2; i < 3; i++)
        assert((i >= 0) == ((unsigned long)(void *)(long)i <= INT32_MAX));
    assert((uintptr_t)&r == (uintptr_t)(void *)(uintptr_t)&r);
}
