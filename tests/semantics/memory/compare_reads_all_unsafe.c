// relyant: --check memory
// violation: access outside of
// Comparing memory takes all of both objects, whatever differs.
#include <string.h>
int main(void) {
    char a[2] = {1, 2};
    return memcmp(a, "hello", 5) > 0;
}
