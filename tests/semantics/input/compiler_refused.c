// What a compiler rejects is refused with its message.
int f(int a, int b) { return a + b; }
int main(void) { return f(1); }
