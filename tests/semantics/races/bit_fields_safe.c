// relyant: --property no-data-race
#include <pthread.h>
struct flags { unsigned a : 3; unsigned : 0; unsigned b : 5; int c; } flags;
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
    flags.c = 3;
    return 0;
}
