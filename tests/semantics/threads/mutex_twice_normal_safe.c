// The owner of a normal mutex that locks it again waits for ever.
#include <assert.h>
#include <pthread.h>
int main(void) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    assert(0);
}
