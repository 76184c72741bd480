union both { int whole; char part; };
union both b;
int main(void)
{
    b.whole = 258;
    return b.part;
}
