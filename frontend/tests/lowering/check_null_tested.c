// safe --check memory
#include <stdlib.h>
struct s { int a, b; } object;
struct s *p;
int nondet(void);
int main(void) { if (nondet()) p = &object; if (p) p->b = 1; return 0; }
