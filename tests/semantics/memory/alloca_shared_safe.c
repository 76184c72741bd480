// relyant: --check memory
// Another thread may use memory of alloca while the function that asked for it has not returned.
#include <alloca.h>
#include <pthread.h>
static void *run(void *arg)
{
    *(int *)arg = 1;
    return 0;
}
static pthread_t start(void)
{
    pthread_t t;
    int *p = alloca(sizeof(int));
    pthread_create(&t, 0, run, p);
    pthread_join(t, 0);
    return t;
}
int main(void)
{
    pthread_t t = start();
    return 0;
}
