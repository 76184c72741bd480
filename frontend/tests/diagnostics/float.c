int main(void)
{
    long double half = 0.5;
    return half > 0;
}
