struct pair { int a, b; };
int main(void)
{
    struct pair p = { 1, 2 };
    char *bytes = (char *)&p;
    return bytes[4];
}
