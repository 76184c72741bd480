// relyant: --property no-data-race
// violation: data race on `a.y`
// other: write a.y
#include <pthread.h>
struct point { int x, y, z; } a, b;
void *one(void *p) {
    a.y = 1;
    return 0;
}
int main(void) {
    pthread_t s;
    pthread_create(&s, 0, one, 0);
    b = a;
    return 0;
}
