// safe
#include <assert.h>
static int cell = 5;
static int *hop = &cell, **top = &hop;
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*table[2])(int, int) = { add, &sub };
static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
int main(void)
{
    **top = 6;
    assert(cell == 6 && *hop == 6);
    int a = 1, b = 2;
    swap(&a, &b);
    assert(a == 2 && b == 1);
    assert(table[0](3, 4) == 7 && (*table[1])(3, 4) == -1);
    int (*f)(int, int) = a > 1 ? sub : add;
    assert(f(9, 4) == 5);
    void *p = (void *)(long)-3;
    assert((int)(long)p == -3 && p != 0);
    int *none = 0;
    assert(!none && hop && hop != none);
    const char *text = "hi";
    assert(text[1] == 'i' && text[2] == 0 && *text == 'h');
    return 0;
}
