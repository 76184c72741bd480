// relyant: --property no-data-race
// violation: data race on `x`
#include <assert.h>
#include <pthread.h>
int x;
void *one(void *p) {
    assert(x == 0);
    return 0;
}
int main(void) {
    pthread_t s;
    pthread_create(&s, 0, one, 0);
    x = 1;
    return 0;
}
