// relyant: --property no-data-race
#include <pthread.h>
_Atomic int want0, want1, turn;
int x;
void *one(void *p) {
    want0 = 1;
    turn = 1;
    while (want1 == 1 && turn == 1)
        ;
    x = x + 1;
    want0 = 0;
    return 0;
}
void *two(void *p) {
    want1 = 1;
    turn = 0;
    while (want0 == 1 && turn == 0)
        ;
    x = x + 1;
    want1 = 0;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    return 0;
}
