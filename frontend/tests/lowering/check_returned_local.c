// unsafe --check memory
static int *f(void) { int x = 1; int *p = &x; return p; }
int main(void) { int *p = f(); return *p; }
