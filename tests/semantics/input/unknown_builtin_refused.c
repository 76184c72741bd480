// A builtin that is not known.
int main(void) {
    return __builtin_ia32_rdtsc();
}
