// relyant: --property no-data-race
// Which byte of an integer a thread accesses is not told apart where data races are looked for.
int x;
int main(void) {
    ((char *)&x)[1] = 1;
}
