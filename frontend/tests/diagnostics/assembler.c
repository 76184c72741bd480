int main(void)
{
    int n = 1;
    __asm__ volatile("mfence" : : : "memory");
    __asm__("bswapl %0" : "+r"(n));
    return n;
}
