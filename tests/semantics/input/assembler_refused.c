int x;
int main(void) {
    __asm__ volatile("bswapl %0" : "+r"(x));
    return x;
}
