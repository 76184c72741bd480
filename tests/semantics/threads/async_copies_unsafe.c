// A thread that a statement starts has copies of the locals, as they were.
int sum, done;
void add(int a, int b) { sum = a * 10 + b; }
int main(void)
{
    int x = 1, y = 2;
__CPROVER_ASYNC_1:
    add(x, y), x = 7, __CPROVER_fence("WWfence"), done = 1;
    y = 5;
    __CPROVER_assume(done == 1);
    __CPROVER_assert(sum == 15 && x == 1 && y == 5, "copies");
}
