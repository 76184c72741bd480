// What assembler does is not known.
int x;
int main(void) {
    __asm__ volatile("movl $1, %0" : "=r"(x));
    return x;
}
