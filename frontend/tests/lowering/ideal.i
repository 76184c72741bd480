// safe --integers ideal
unsigned char c = 255;
int main(void) { c = c + 1; assert(c == 256); unsigned u = 0; u = u - 1; assert(u == -1); return 0; }
