// safe
#include <assert.h>
#include <pthread.h>
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int runs;
static void init(void) { runs = runs + 1; }
static void *user(void *a) { pthread_once(&o, init); assert(runs == 1); return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    user(0);
    pthread_join(t, 0);
    return 0;
}
