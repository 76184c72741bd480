// CBMC's array of threads that have ended starts with 0.
extern __CPROVER_bool __CPROVER_threads_exited[];
int x;
void put(int v) { x = v; }
int main(void)
{
    unsigned long k = 3;
__CPROVER_ASYNC_1:
    put(5), __CPROVER_threads_exited[k] = 1;
    if (!__CPROVER_threads_exited[3])
        __CPROVER_assert(x == 5, "after its end");
    __CPROVER_assert(!__CPROVER_threads_exited[4], "nobody ended");
}
