// relyant: --property no-data-race
#include <pthread.h>
__thread int x;
void *one(void *p) {
    x++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, one, 0);
    return x;
}
