// A byte behind an integer is none of its bytes.
int main(void) {
    int x = 0;
    return ((char *)&x)[4];
}
