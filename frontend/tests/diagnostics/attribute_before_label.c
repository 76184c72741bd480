int x;
int main(void) {
    if (x > 5) __attribute__((unused)) again: x--;
    return 0;
}
