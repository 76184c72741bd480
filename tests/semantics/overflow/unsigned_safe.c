// relyant: --property no-overflow
#include <pthread.h>
unsigned u = 4294967295u;
int i = 2147483647;
void *worker(void *p) {
    u++;
    __sync_fetch_and_add(&i, 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
