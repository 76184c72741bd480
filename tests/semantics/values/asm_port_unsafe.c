// assumes: what is read from a port is any value
// A byte from a port is any byte.
#include <assert.h>
static unsigned char in(unsigned short port)
{
    unsigned char v;
    __asm__ volatile("inb %w1, %b0" : "=a"(v) : "Nd"(port));
    return v;
}
static void out(unsigned char v, unsigned short port)
{
    __asm__ volatile("outb %b0, %w1" : : "a"(v), "Nd"(port));
}
int main(void)
{
    unsigned char v = in(0x60);
    out(v, 0x61);
    int w = v;
    assert(0 <= w && w <= 254);
}
// compiled: the machine lets no program read a port
