// relyant: --check memory
// Memory of alloca ends with the function that asked for it.
#include <alloca.h>
#include <assert.h>
static int *made(int n)
{
    int *p = alloca(n);
    *p = 1;
    return p;
}
static int read(int *p)
{
    return *p;
}
static int used(int n)
{
    int *p = alloca(n);
    *p = 1;
    return read(p);
}
int main(void)
{
    assert(used(4) == read(made(8)));
    return 0;
}
