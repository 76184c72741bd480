// unsafe
#include <assert.h>
#include <pthread.h>
static int n;
static void *inc(void *a) { n++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, inc, 0);
    n++;
    pthread_join(t, 0);
    assert(n == 2);
}
