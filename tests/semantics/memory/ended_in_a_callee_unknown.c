// relyant: --check memory
// reason: no proof: memory of functions whose callee ends the thread
// The thread ends with locals of a caller alive, which another thread knows: they would have to end, too.
#include <pthread.h>
static int *kept;
static void leave(void)
{
    pthread_exit(0);
}
static void *run(void *arg)
{
    int v = 3;
    kept = &v;
    leave();
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    return *kept;
}
