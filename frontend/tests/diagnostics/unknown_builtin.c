int main(void)
{
    return __builtin_popcount(3);
}
