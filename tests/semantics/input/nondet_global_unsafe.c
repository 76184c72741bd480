// relyant: --threads f
// Each read of the uninitialised global NONDET gives a fresh value.
int NONDET;
int x;
void assert(int);
void f(void) {
    x = NONDET;
    int y = NONDET;
    assert(x == y);
}
