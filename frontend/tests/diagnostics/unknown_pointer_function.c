int n;
void fill(int *p);
int main(void)
{
    fill(&n);
    return n;
}
