// What a thread gives is stored where a pointer of any type points, through `void *`.
#include <assert.h>
#include <pthread.h>
int cell = 7;
void *giver(void *unused) { return &cell; }
void *number(void *unused) { return (void *)-5L; }
int main(void) {
    pthread_t t;
    int *got;
    long n;
    pthread_create(&t, 0, giver, 0);
    pthread_join(t, (void *)&got);
    assert(*got == 7);
    pthread_create(&t, 0, number, 0);
    pthread_join(t, (void **)&n);
    assert(n == -5);
}
