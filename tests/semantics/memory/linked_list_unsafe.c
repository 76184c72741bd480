// A list that grows at its head.
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; } pool[3], *head;
int used;
void push(int v) {
    struct node *n = &pool[used++];
    n->value = v;
    n->next = head;
    head = n;
}
int main(void) {
    push(1);
    push(2);
    push(3);
    int sum = 0, last = 0;
    for (struct node *n = head; n; n = n->next) {
        sum += n->value;
        last = n->value;
    }
    assert(sum == 6 && last == 3);
}
