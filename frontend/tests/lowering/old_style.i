/* safe */
int add(a, b) int a; short b; { return a + b; }
main() { short s = 4; assert(add(3, s) == 7); assert(later(1) == 2); return 0; }
later(n) { return n + 1; }
