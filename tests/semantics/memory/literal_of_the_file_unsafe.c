// Compound literals at file scope: objects with static storage, and what static objects start as copies of.
// real: yes
#include <assert.h>
struct pair {
    int x, y;
};
static int *middle = &((int[4]){1, 2, 3, 4})[2];
static struct pair first = (struct pair){.y = 2};
int main(void) {
    middle[1] = first.y;
    assert(middle[1] == 4);
}
