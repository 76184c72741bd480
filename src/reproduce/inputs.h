/* Functions that give inputs: type, and the end of the name __VERIFIER_nondet_... */
ANY(int, int) ANY(unsigned, uint) ANY(unsigned, unsigned) ANY(unsigned, unsigned_int) ANY(_Bool, bool) ANY(_Bool, _Bool)
ANY(char, char) ANY(signed char, schar) ANY(unsigned char, uchar) ANY(short, short) ANY(unsigned short, ushort)
ANY(long, long) ANY(unsigned long, ulong) ANY(long long, longlong) ANY(unsigned long long, ulonglong)
ANY(long, loff_t) ANY(unsigned long, size_t) ANY(unsigned, u32) ANY(unsigned char, u8) ANY(unsigned short, u16)
ANY(unsigned long, u64) ANY(unsigned long, sector_t)
