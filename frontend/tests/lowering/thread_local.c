// safe
#include <assert.h>
#include <pthread.h>
static __thread int mine = 2;
static _Thread_local int also[2] = { 1, 4 };
static void *user(void *a) { assert(mine == 2 && also[1] == 4); mine = 3; also[1]++; return a; }
int main(void)
{
    pthread_t t;
    mine = 9;
    pthread_create(&t, 0, user, 0);
    pthread_join(t, 0);
    assert(mine == 9 && also[1] == 4);
    return 0;
}
