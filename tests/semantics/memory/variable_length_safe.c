// relyant: --check memory
// An array of variable length has as many elements as it is given.
#include <pthread.h>
static int sum(const int *v, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}
static void *run(void *arg)
{
    int n = *(int *)arg;
    int v[n];
    for (int i = 0; i < n; i++)
        v[i] = i;
    sum(v, sizeof v / sizeof(int));
    return 0;
}
int main(void)
{
    pthread_t t;
    int n = 3;
    pthread_create(&t, 0, run, &n);
    pthread_join(t, 0);
    return 0;
}
