// safe
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
struct node { int v; struct node *next; };
struct node *make(int v) { struct node *n = malloc(sizeof *n); if (!n) abort(); n->v = v; n->next = 0; return n; }
void *w(void *a) { struct node *n = a; n->v++; return 0; }
int main(void) {
  struct node *a = make(1), *b = make(2);
  int *z = calloc(3, sizeof(int));
  assert(z[2] == 0);
  a->next = b;
  pthread_t t; pthread_create(&t, 0, w, b); pthread_join(t, 0);
  assert(a->v == 1 && a->next->v == 3);
  free(a);
}
