// unsafe
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
// A Treiber stack whose nodes are freed: the top may be the same node as before and not the same state.
struct node { struct node *next; int live; };
struct node *top;
int broken;
static int cas(struct node *old, struct node *new) {
  int done = 0;
  __VERIFIER_atomic_begin();
  if (top == old) { top = new; done = 1; }
  __VERIFIER_atomic_end();
  return done;
}
static void push(void) {
  struct node *n = malloc(sizeof *n);
  n->live = 1;
  struct node *t = top;
  n->next = t;
  cas(t, n);
}
static struct node *pop(void) {
  struct node *t = top;
  if (!t) return 0;
  struct node *next = t->next;
  if (!cas(t, next)) return 0;
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
