int outside(int n);
static int (*call)(int) = outside;
int main(void) { return call(1); }
