// Start routines in a table of structs.
#include <assert.h>
#include <pthread.h>
int a, b;
void *set_a(void *arg) {
    a = (int)(long)arg;
    return 0;
}
void *set_b(void *arg) {
    b = (int)(long)arg;
    return 0;
}
struct task { void *(*run)(void *); long arg; pthread_t t; } tasks[] = {{set_a, 1}, {set_b, 2}};
int main(void) {
    for (int i = 0; i < 2; i++)
        pthread_create(&tasks[i].t, 0, tasks[i].run, (void *)tasks[i].arg);
    for (int i = 0; i < 2; i++)
        pthread_join(tasks[i].t, 0);
    assert(a == 1 && b == 1);
}
