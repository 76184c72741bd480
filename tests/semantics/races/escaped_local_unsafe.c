// relyant: --property no-data-race
// violation: data race on `main::x`
#include <pthread.h>
void *one(void *p) {
    int *x = p;
    *x = 1;
    return 0;
}
int main(void) {
    int x = 0;
    pthread_t s;
    pthread_create(&s, 0, one, &x);
    x = 2;
    pthread_join(s, 0);
    return 0;
}
