// longjmp
#include <setjmp.h>
jmp_buf b;
int main(void) {
    if (setjmp(b) == 0)
        longjmp(b, 1);
}
