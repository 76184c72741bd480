// real: yes
// A string may come as a `void *`.
#include <assert.h>
#include <pthread.h>
#include <string.h>
static char line[8] = "a";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *arg)
{
    pthread_mutex_lock(&lock);
    strcat(line, arg);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, run, "bc");
    pthread_create(&u, 0, run, "bc");
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(strlen(line) == 5);
    return 0;
}
