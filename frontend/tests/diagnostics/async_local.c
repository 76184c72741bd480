int main(void)
{
    int n[1] = { 1 };
    __CPROVER_ASYNC_1: n[0] = 2;
    return n[0];
}
