/* Members that lie eight bytes apart, with three scalars from one to the next. */
#include <assert.h>
struct packet { char kind, version; int length; };
struct packet packets[2];
int main(void) {
    int *first = &packets[0].length, *second = &packets[1].length;
    assert((char *)second - (char *)first == 8);
    return 0;
}
