// safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int n;
static void *quit(void *a) { n = 1; exit(0); n = 2; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, quit, 0);
    pthread_join(t, 0);
    assert(0);
}
