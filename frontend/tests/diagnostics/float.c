int main(void)
{
    double half = 0.5;
    return half > 0;
}
