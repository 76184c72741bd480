int main(void)
{
    long n = 123456789012345678901234567890;
    return n > 0;
}
