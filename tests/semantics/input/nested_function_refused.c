int main(void) {
    int x = 1;
    int f(int a) { return a + x; }
    return f(2);
}
