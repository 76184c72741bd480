// relyant: --property no-data-race
// A thread gets a block of its own and gives it back itself.
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
    }
    return 0;
}
