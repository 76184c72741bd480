// The sum of two tenths is not three tenths, whichever thread adds first.
#include <assert.h>
#include <pthread.h>

double sum = 0.1;
float quarter = 0.25f;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *add(void *arg) {
    pthread_mutex_lock(&m);
    sum = sum + 0.1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    pthread_mutex_lock(&m);
    sum += 0.1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(sum != 0.3);
    assert(sum > 0.3 && sum < 0.31);
    assert(quarter * 4 == 1);
    assert((int)(sum * 10) == 3 && (int)-0.9 == 0);
    return 0;
}
