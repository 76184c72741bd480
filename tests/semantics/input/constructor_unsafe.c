#include <assert.h>
int x, y;
__attribute__((constructor(101))) static void second(void) { y = x + 1; }
__attribute__((constructor(102))) static void first(void) { x = 1; }
int main(void) { assert(y == 2); }
