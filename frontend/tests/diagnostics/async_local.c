int main(void)
{
    int n = 1;
    __CPROVER_ASYNC_1: n = 2;
    return n;
}
