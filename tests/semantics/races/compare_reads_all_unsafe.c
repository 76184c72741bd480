// relyant: --property no-data-race
// Comparing memory takes all of both objects: so it is with a size that is an input, too.
#include <pthread.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
char a[8], b[8] = {1};
void *writer(void *p) {
    a[3] = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    pthread_create(&t, 0, writer, 0);
    if (n > 3 && n <= 8 && memcmp(a, b, n) == 0)
        n = 0;
    pthread_join(t, 0);
}
