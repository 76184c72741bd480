// Without --threads, NONDET is a variable like others.
#include <assert.h>
int NONDET;
int main(void) { assert(NONDET == 0); }
