// Structs in an array, at an index that a thread is given.
#include <assert.h>
#include <pthread.h>
struct slot { int used; int value; } slots[3];
void *worker(void *arg) {
    int i = (int)(long)arg;
    slots[i].value = i * 10;
    slots[i].used = 1;
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, (void *)0L);
    pthread_create(&u, 0, worker, (void *)2L);
    pthread_join(t, 0);
    pthread_join(u, 0);
    int used = 0;
    for (int i = 0; i < 3; i++)
        if (slots[i].used) {
            used++;
            assert(slots[i].value == i * 5);
        }
    assert(used == 2);
}
