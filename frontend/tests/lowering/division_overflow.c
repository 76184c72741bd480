// unsafe --signed check
int main(void)
{
    int n = -2147483647 - 1;
    int d = -1;
    return n / d;
}
