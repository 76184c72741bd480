// relyant: --property no-overflow
#include <pthread.h>
int x = 2147483646;
void *worker(void *p) {
    if (x < 2147483647)
        x++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
