#include <assert.h>
#include <pthread.h>
int cell = 7;
void *giver(void *unused) { return &cell; }
int main(void) {
    pthread_t t;
    int *got;
    pthread_create(&t, 0, giver, 0);
    pthread_join(t, (void *)&got);
    assert(*got == 8);
}
