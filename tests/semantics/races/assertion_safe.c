// relyant: --property no-data-race
#include <assert.h>
#include <pthread.h>
_Atomic int x;
int y;
void *one(void *p) {
    assert(x == 0);
    y = 1;
    return 0;
}
int main(void) {
    pthread_t s;
    x = 1;
    pthread_create(&s, 0, one, 0);
    y = 2;
    return 0;
}
