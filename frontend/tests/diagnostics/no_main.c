static int n;
int worker(void) { return n; }
