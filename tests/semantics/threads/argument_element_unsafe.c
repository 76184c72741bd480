// The argument is the address of an element of an array.
#include <assert.h>
#include <pthread.h>
int cells[3] = {10, 20, 30};
void *bump(void *arg) {
    ++*(int *)arg;
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, bump, &cells[0]);
    pthread_create(&u, 0, bump, cells + 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(cells[0] == 11 && cells[1] == 20 && cells[2] == 31);
}
