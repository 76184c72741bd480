// recursive:safe
#include <assert.h>
typedef int (*step)(int);
int one(int n);
int two(int n);
step next = two;
int one(int n) { if (n <= 0) return 0; int r = next(n - 1); return r + 1; }
int two(int n) { next = one; if (n <= 0) return 0; int r = next(n - 1); return r + 2; }
int main(void) { assert(one(3) == 4); }
