// unsafe
#include <assert.h>
#include <pthread.h>
static int n = 1;
static void *flip(void *a) { n = 2; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, flip, 0);
    assert(n + n != 3);
}
