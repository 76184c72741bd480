// safe
#include <assert.h>
static int n;
static int bump(void) { return ++n; }
int main(void)
{
    int a = bump(), b = (bump(), n) && bump() == 3;
    assert(a == 1 && b);
    int k = bump() + bump() + bump();
    assert(k == 15 && n == 6);
    k = ({ if (k) goto out; k = 1; out:; 2; }) + bump();
    n = sizeof(({ goto done; done:; 1; }));
    assert(k == 9 && n == 4);
    return 0;
}
