int main(void)
{
    __asm__ volatile("mfence" : : : "memory");
    asm("nop");
    return 0;
}
