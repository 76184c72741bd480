int main(void)
{
    return __builtin_ia32_crc32si(3, 4);
}
