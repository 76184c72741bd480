// relyant: --check memory
// Comparing strings ends at the first difference.
#include <string.h>
int main(void) {
    char a[2] = {1, 2};
    return strncmp(a, "hello", 5) > 0;
}
