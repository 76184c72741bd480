int main(void)
{
    goto out;
    return 0;
}
