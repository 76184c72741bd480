// relyant: --property no-data-race
#include <pthread.h>
int x = 1, y;
void *work(void *p) {
    int k = x;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    x = 2;
    pthread_create(&b, 0, work, 0);
    return 0;
}
