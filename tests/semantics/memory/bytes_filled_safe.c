/* Memory for records that is filled byte by byte, all of it, and never read. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);
struct record { int n; struct record *next; };
static int filled;
static void *any_block(unsigned size) {
    char *p = malloc(size);
    for (unsigned i = 0; i < size; i++) p[i] = __VERIFIER_nondet_char();
    filled++;
    return p;
}
void *worker(void *arg) {
    struct record *r = (struct record *)any_block(sizeof(struct record));
    return r ? arg : 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    worker(0);
    assert(filled == 2);
    return 0;
}
