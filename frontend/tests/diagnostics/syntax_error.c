int n;
int main(void)
{
    n = = 1;
    return 0;
}
