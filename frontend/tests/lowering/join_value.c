// safe
#include <assert.h>
#include <pthread.h>
static void *twice(void *a)
{
    long n = (long)a;
    if (n > 3)
        pthread_exit((void *)(n + 1));
    return (void *)(n * 2);
}
int main(void)
{
    pthread_t t[2];
    void *r[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], 0, twice, (void *)(long)(i + 3)) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &r[i]);
    assert((long)r[0] == 6 && (long)r[1] == 5);
    return 0;
}
