// relyant: --property no-data-race
#include <pthread.h>
int x;
void *work(void *p) {
    x = 1;
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    return x;
}
