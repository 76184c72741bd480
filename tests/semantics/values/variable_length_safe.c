// Local arrays whose length is known only at run time; parameters that name others in their size.
#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int last(int n, int a[n]) {
    return a[n - 1];
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        return 0;
    int a[n], pairs[n][2];
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++)
        a[i] = pairs[i][1] = i;
    assert(last(n, a) == n - 1 && pairs[n - 1][1] == n - 1);
    assert(sizeof a == n * sizeof(int) && sizeof a / sizeof *a == n);
    return 0;
}
