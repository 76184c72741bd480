// Copied is what the size says, and no more.
#include <assert.h>
#include <string.h>
int main(void) {
    int a[2] = {1, 2}, b[2] = {0, 0};
    void *from = a, *to = b;
    memcpy(to, from, sizeof(int));
    assert(b[1] == 2);
}
