// Objects seen as other types whose members lie at the same bytes: the start of a larger struct, ints as a struct of
// ints, and the struct that a member is in.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
struct head {
    int kind;
    short size;
};
struct packet {
    struct head head;
    int load;
};
struct pair {
    int left, right;
};
struct packet packet = {{1, 2}, 3};
int numbers[4] = {10, 11, 12, 13};
void *reads(void *untyped) {
    struct head *h = untyped;
    assert(h->kind == 1 && h->size == 2);
    struct packet *whole = (struct packet *)h;
    assert(whole->load == 3);
    int *load = &whole->load;
    struct packet *again = (struct packet *)((char *)load - offsetof(struct packet, load));
    assert(again->head.size == 2);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reads, &packet);
    void *v = numbers;
    struct pair *p = v;
    assert(p[1].left == 12 && p[1].right == 13);
    struct pair *q = (struct pair *)(numbers + 1);
    q->right = 20;
    assert(numbers[2] == 20);
    pthread_join(t, 0);
    return 0;
}
