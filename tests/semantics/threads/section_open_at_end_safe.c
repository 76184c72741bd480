// An atomic section that main leaves open ends with the program.
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
int x;
void *run(void *arg)
{
    if (x == 1)
        reach_error();
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    __VERIFIER_atomic_begin();
    x = 1;
    x = 2;
}
