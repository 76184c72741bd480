// Each thread has copies of its own.
int a[3], n;
void put(int i, int v) { a[i] = v; }
void start(int i, int v)
{
__CPROVER_ASYNC_1:
    put(i, v), __CPROVER_atomic_begin(), n++, __CPROVER_atomic_end();
}
int main(void)
{
    start(1, 4);
    start(2, 5);
    __CPROVER_assume(n == 2);
    __CPROVER_assert(a[1] == 4 && a[2] == 4, "own copies");
}
