// relyant: --property no-data-race
// violation: data race on `flags
#include <pthread.h>
struct flags { int id; unsigned a : 3; unsigned b : 5; } flags;
void *one(void *p) {
    flags.a = 1;
    return 0;
}
void *two(void *p) {
    flags.b = 2;
    return 0;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    return 0;
}
