// relyant: --property no-data-race
#include <pthread.h>
int a[4];
void *one(void *p) {
    int i = *(int *)p;
    a[i] = i;
    return 0;
}
int one_ = 1, two_ = 2;
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, &one_);
    pthread_create(&t, 0, one, &two_);
    return 0;
}
