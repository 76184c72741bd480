// reason: no proof: an object seen as one of another type is not supported (line 15)
// A job gets an object that is none of its type: no verdict rests on it.
#include <assert.h>
#include <pthread.h>
struct job {
    void (*run)(void *);
    void *on;
};
struct pair {
    short a, b;
};
static struct job jobs[2];
static int total;
static void add(void *p) {
    struct pair *s = p;
    total += s->a + s->b;
}
static void increment(void *p) { ++*(int *)p; }
int main(void) {
    struct pair s = {1, 0};
    int n = 1;
    jobs[0] = (struct job){add, &s};
    jobs[1] = (struct job){add, &n};
    if (total)
        jobs[0].run = increment;
    for (int i = 0; i < 2; i++)
        jobs[i].run(jobs[i].on);
    assert(total == 2);
    return 0;
}
