// A struct with a flexible array has as many elements as its block has room for.
// relyant: --check memory
#include <stdlib.h>
struct text {
    int length;
    char body[];
};
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 3) return 0;
    struct text *t = malloc(sizeof *t + n);
    if (!t) return 0;
    t->length = n;
    t->body[n - 1] = 'a';
    free(t);
}
