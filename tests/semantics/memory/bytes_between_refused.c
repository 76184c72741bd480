/* How far pointers lie apart in bytes, of records that start with one. */
#include <assert.h>
struct header { char kind; int length; };
struct header headers[2];
int main(void) {
    char *first = (char *)&headers[0], *second = (char *)&headers[1];
    assert(second - first == sizeof(struct header));
    return 0;
}
