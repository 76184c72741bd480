// unsafe --check memory
#include <stdlib.h>
struct s { int a, b; };
struct s *p;
int main(void) { return p->b; }
