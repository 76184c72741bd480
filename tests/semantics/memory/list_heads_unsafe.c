#include <assert.h>
#include <stddef.h>
struct hook {
    struct hook *next;
};
struct item {
    int weight;
    struct hook hook;
};
struct {
    struct hook heads[2];
    int count;
} set;
struct item first, second;
struct item *item_of(struct hook *h) { return (struct item *)((char *)h - offsetof(struct item, hook)); }
void add(int k, struct item *i) {
    i->hook.next = set.heads[k].next;
    set.heads[k].next = &i->hook;
}
int main(void) {
    int sum = 0;
    for (int k = 0; k < 2; k++) set.heads[k].next = &set.heads[k];
    first.weight = 1;
    second.weight = 2;
    add(1, &first);
    add(1, &second);
    for (int k = 0; k < 2; k++)
        for (struct item *i = item_of(set.heads[k].next); &i->hook != &set.heads[k]; i = item_of(i->hook.next))
            sum += i->weight++;
    assert(sum == 2 && first.weight == 2 && set.count == 0);
}
