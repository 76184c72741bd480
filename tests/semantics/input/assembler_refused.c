int x;
int main(void) {
    __asm__ volatile("incl %0" : "+m"(x));
    return x;
}
