int main(void)
{
    return 0; /* and so on
}
