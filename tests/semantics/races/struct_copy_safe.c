// relyant: --property no-data-race
#include <pthread.h>
struct point { int x, y, z; } a, b;
int c;
void *one(void *p) {
    c = 1;
    return 0;
}
int main(void) {
    pthread_t s;
    pthread_create(&s, 0, one, 0);
    b = a;
    return 0;
}
