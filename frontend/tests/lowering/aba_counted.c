// safe
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
// The same with a count of the changes of the top.
struct node { struct node *next; int live; };
struct node *top;
unsigned count;
static int cas(struct node *old, unsigned seen, struct node *new) {
  int done = 0;
  __VERIFIER_atomic_begin();
  if (top == old && count == seen) { top = new; count = seen + 1; done = 1; }
  __VERIFIER_atomic_end();
  return done;
}
static void read_top(struct node **t, unsigned *c) {
  __VERIFIER_atomic_begin();
  *t = top;
  *c = count;
  __VERIFIER_atomic_end();
}
static void push(void) {
  struct node *n = malloc(sizeof *n), *t;
  unsigned c;
  n->live = 1;
  read_top(&t, &c);
  n->next = t;
  cas(t, c, n);
}
static struct node *pop(void) {
  struct node *t;
  unsigned c;
  read_top(&t, &c);
  if (!t) return 0;
  struct node *next = t->next;
  if (!cas(t, c, next)) return 0;
  return t;
}
void *other(void *a) {
  struct node *x = pop(), *y = pop();
  if (x && y) { y->live = 0; free(x); push(); }
  return 0;
}
int main(void) {
  pthread_t t;
  push(); push();
  pthread_create(&t, 0, other, 0);
  struct node *p = pop();
  pthread_join(t, 0);
  assert(!top || top->live);
}
