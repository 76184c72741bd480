#include <pthread.h>
void *run(void *arg);
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
}
