// relyant: --property no-data-race
#include <pthread.h>
int x;
void *inner(void *p) {
    x++;
    return 0;
}
void *outer(void *p) {
    pthread_t t;
    x = 2;
    pthread_create(&t, 0, inner, 0);
    x = 3;
    return 0;
}
int main(void) {
    pthread_t t;
    x = 1;
    pthread_create(&t, 0, outer, 0);
    pthread_join(t, 0);
    return x;
}
