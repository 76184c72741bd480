// relyant: --property no-data-race
// A list of notes on each shelf, and a lock for each; whoever comes goes to any shelf.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct note {
    int number;
    struct note *under;
};

struct note *shelf[6];
pthread_mutex_t key[6];

static struct note *written(int number)
{
    struct note *n = malloc(sizeof *n);
    n->number = number;
    n->under = 0;
    return n;
}

static void put_under(struct note *n, struct note *top)
{
    n->under = top->under;
    top->under = n;
}

static int any_shelf(void)
{
    int s = __VERIFIER_nondet_int();
    if (!(s >= 0 && s < 6))
        exit(0);
    return s;
}

void *visitor(void *arg)
{
    int s = any_shelf();
    pthread_mutex_lock(&key[s]);
    if (shelf[s])
        put_under(written(3), shelf[s]);
    pthread_mutex_unlock(&key[s]);
    return arg;
}

int main(void)
{
    int s = any_shelf();
    shelf[s] = written(1);
    put_under(written(2), shelf[s]);
    pthread_t t;
    pthread_create(&t, 0, visitor, 0);
    pthread_mutex_lock(&key[s]);
    int number = shelf[s]->under->number;
    pthread_mutex_unlock(&key[s]);
    (void)number;
    return 0;
}
