// relyant: --property no-data-race
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void *one(void *p) {
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t s;
    int k;
    pthread_create(&s, 0, one, 0);
    __VERIFIER_atomic_begin();
    k = x;
    __VERIFIER_atomic_end();
    return k;
}
