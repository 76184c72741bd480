// relyant: --ilp32
// A `__CPROVER_ASYNC_n:` label starts a thread; atomic_begin and atomic_end make one step.
int x;
void add(void) {
    int t = x;
    x = t + 1;
    if (x == 2)
        __CPROVER_assert(x == 2, "both");
}
int done1, done2;
void one(void) { add(); done1 = 1; }
void two(void) { add(); done2 = 1; }
int main(void) {
    __CPROVER_ASYNC_1: one();
    __CPROVER_ASYNC_2: two();
    __CPROVER_assume(done1 && done2);
    __CPROVER_assert(x == 2, "no increment is lost");
}
