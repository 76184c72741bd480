// relyant: --property no-data-race
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
_Atomic int ready;
int value;
int get(void) {
    if (!ready) {
        pthread_mutex_lock(&m);
        if (!ready) {
            value = 42;
            ready = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return value;
}
void *user(void *p) {
    get();
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    return 0;
}
