// safe
#include <assert.h>
#include <pthread.h>
static pthread_t first;
static void *user(void *a) { assert(!pthread_equal(pthread_self(), first)); return a; }
int main(void)
{
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, 0, user, 0);
    assert(t != first);
    return 0;
}
