/* Bytes of a record that starts with one: the eighth byte is the next record's first, and not its third scalar. */
#include <assert.h>
struct header { char kind; int length; };
struct header headers[2];
int main(void) {
    char *byte = (char *)headers;
    byte += sizeof(struct header);
    *byte = 1;
    assert(headers[1].kind == 1);
    return 0;
}
