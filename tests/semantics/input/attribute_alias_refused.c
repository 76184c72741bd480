// Another name for a function is not dropped.
int f(void) { return 1; }
int g(void) __attribute__((alias("f")));
int main(void) { return g(); }
