// real: yes
/* The number of bytes between elements, and between members that lie alike. */
#include <assert.h>
struct packet { short kind; int length; };
struct queue { long size; struct packet packets[3]; } queue;
int main(void) {
    struct packet *first = queue.packets, *end = first + 3;
    assert((char *)end - (char *)first != 24);
    int *a = &queue.packets[0].length, *b = &queue.packets[1].length;
    assert(b != a);
    return 0;
}
