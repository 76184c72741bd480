// unsafe --check memory
#include <stdlib.h>
int main(void) { int x = 0; int *p = malloc(sizeof *p); *p = 1; if (x == 0) { free(p); p = &x; } free(p); return 0; }
