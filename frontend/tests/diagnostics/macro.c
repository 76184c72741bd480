#define TWICE(x) (2 * missing(x) * half)
int main(void)
{
    return TWICE(3);
}
