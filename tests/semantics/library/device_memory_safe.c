// A device's memory is none of the program's; a byte of a port is any byte.
#include <assert.h>
unsigned char inb(unsigned short port);
unsigned int readl(const volatile void *at);
void writel(unsigned int value, volatile void *at);
static int own;
int main(void)
{
    volatile void *device = (void *)0x1000;
    unsigned v = readl(device);
    own = 3;
    writel(v, device);
    int byte = inb(96);
    assert(own == 3 && byte <= 255);
}
