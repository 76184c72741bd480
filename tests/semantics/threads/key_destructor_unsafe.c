// Where a thread ends by a return or by pthread_exit, a value that is not null goes to the destructor.
#include <assert.h>
#include <pthread.h>
pthread_key_t key;
int runs, sum;
void destroy(void *value) {
    assert(pthread_getspecific(key) == 0);
    runs++;
    sum += (int)(long)value;
}
void *by_return(void *arg) {
    pthread_setspecific(key, arg);
    return arg;
}
void *by_exit(void *arg) {
    pthread_setspecific(key, arg);
    pthread_exit(0);
}
void *without(void *arg) {
    (void)arg;
    return 0;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_key_create(&key, destroy);
    pthread_create(&t, 0, by_return, (void *)3L);
    pthread_join(t, &result);
    assert((long)result == 3 && runs == 1);
    pthread_create(&t, 0, by_exit, (void *)4L);
    pthread_join(t, 0);
    pthread_create(&t, 0, without, 0);
    pthread_join(t, 0);
    assert(runs == 3 && sum == 7);
}
