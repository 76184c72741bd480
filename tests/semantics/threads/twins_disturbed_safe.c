// Two threads that read a goal that changes before them end with the same number.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
unsigned goal, first, second;
void *climb(void *number) {
    unsigned *own = number;
    while (*own < goal)
        *own = *own * 2u + 1u;
    return 0;
}
int main(void) {
    pthread_t s, t;
    goal = 2;
    first = second = 1;
    goal = goal + 5;
    pthread_create(&s, 0, climb, &first);
    pthread_create(&t, 0, climb, &second);
    pthread_join(t, 0);
    pthread_join(s, 0);
    assert(first == second);
    return 0;
}
