// What a statement that a new thread runs reads of globals, the new thread reads.
int g, seen, done;
void look(int v) { seen = v; done = 1; }
int main(void)
{
__CPROVER_ASYNC_1:
    look(g);
    g = 1;
    __CPROVER_assume(done == 1);
    __CPROVER_assert(seen == 0, "the new thread may come later");
}
