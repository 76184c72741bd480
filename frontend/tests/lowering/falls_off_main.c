// safe
#include <assert.h>
#include <pthread.h>
static int n;
static void *writer(void *a) { n = 1; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
    assert(n == 1);
}
