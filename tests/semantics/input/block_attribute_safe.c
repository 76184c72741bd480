// relyant: --threads f:g
// A block with the attribute `atomic` is one step.
int x;
void assert(int);
void f(void) {
    __blockattribute__((atomic))
    {
        x = 1;
        x = 0;
    }
}
void g(void) {
    int t = x;
    assert(t == 0);
}
