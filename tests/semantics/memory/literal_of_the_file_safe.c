// Compound literals at file scope: objects with static storage, and what static objects start as copies of.
// real: yes
#include <assert.h>
struct pair {
    int x, y;
};
static int *middle = &((int[4]){1, 2, 3, 4})[2];
static struct pair first = (struct pair){.y = 2}, pairs[2] = {[1] = (struct pair){5, 6}};
static const struct pair *other = &(struct pair){7, 8};
int main(void) {
    static struct pair own = (struct pair){9};
    middle[-1]++;
    assert(middle[0] == 3 && middle[-1] == 3 && first.x == 0 && first.y == 2 && pairs[0].y == 0 && pairs[1].y == 6);
    assert(other->y == 8 && own.x == 9 && own.y == 0);
}
