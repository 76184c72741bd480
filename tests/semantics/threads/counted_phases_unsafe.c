// Those who came in are counted first here, and more may come and leave until the others are counted.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
atomic_int in, out;
void *guest(void *unused) {
    in++;
    int came = in;
    assert(out < came);
    out++;
    return 0;
}
int main(void) {
    for (int k = __VERIFIER_nondet_int(); k > 0; k--) {
        pthread_t t;
        pthread_create(&t, 0, guest, 0);
    }
    return 0;
}
