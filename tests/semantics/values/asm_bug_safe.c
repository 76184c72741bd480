// What kernels print with a bug ends the program; the table of places is data.
#include <assert.h>
int main(int argc, char **argv)
{
    if (argc > 3)
        __asm__ volatile("1:\tud2\n.pushsection __bug_table,\"a\"\n2:\t.long 1b - 2b, %c0 - 2b\n\t.word %c1, 0\n.popsection" : : "i"("a.c"), "i"(7));
    assert(argc <= 3);
}
