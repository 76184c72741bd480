// A block has as many elements as were asked for.
// relyant: --check memory
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4) return 0;
    int *p = malloc(n * sizeof(int));
    if (!p) return 0;
    for (int i = 0; i < n; i++) p[i] = i;
    free(p);
}
