// relyant: --property no-data-race
#include <pthread.h>
int x, *p = &x;
void *work(void *a) {
    *p = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    *p = 2;
    x = 3;
    return 0;
}
