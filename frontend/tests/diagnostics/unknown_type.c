int main(void)
{
    counter_t n = 1;
    return n;
}
