// relyant: --property no-data-race
// violation: data race
// The second block is still written after a thread got it.
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static void *use(void *block)
{
    long *number = block;
    *number = *number + 1;
    free(number);
    return NULL;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int k = 0; k < n; k++) {
        pthread_t t;
        long *block = calloc(1, sizeof(long));
        pthread_create(&t, NULL, use, block);
        if (k == 1)
            *block = 7;
    }
    return 0;
}
