// The last byte is not filled.
#include <assert.h>
#include <string.h>
void fill(void *to, int byte, size_t bytes) { memset(to, byte, bytes); }
char page[8], other[4];
int main(void) {
    fill(other, 1, 4);
    fill(page, 65, 7);
    assert(page[7] == 65);
}
