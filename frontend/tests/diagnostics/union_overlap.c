union inner { int i; char c[4]; };
union outer { union inner in; short s[2]; } u;
int main(void)
{
    u.in.i = 1;
    u.s[0] = 2;
    return u.in.c[0];
}
