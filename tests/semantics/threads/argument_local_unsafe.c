// The argument is the address of a local of the thread that creates.
#include <assert.h>
#include <pthread.h>
void *add(void *arg) {
    int *p = arg;
    *p += 5;
    return 0;
}
int main(void) {
    pthread_t t;
    int local = 1;
    pthread_create(&t, 0, add, &local);
    assert(local == 6);
}
