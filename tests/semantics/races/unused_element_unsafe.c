// relyant: --property no-data-race
#include <pthread.h>
struct pair {
    int a, b;
} s, *p = &s;
int x, k[2];
void *work(void *q) {
    x = 1;
    s.b = 2;
    k[1] = 3;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    (k[1], 0);
    return 0;
}
