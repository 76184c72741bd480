int main(void)
{
    return "abc
}
