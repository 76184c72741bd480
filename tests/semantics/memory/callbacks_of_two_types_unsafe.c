// The last job is done as well.
// real: yes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct job {
    void (*run)(void *);
    void *on;
};
struct sum {
    int a, b, *result;
};
static struct job jobs[3];
static int total;
static char *text = "305";
static long number;
static void add(void *p) {
    struct sum *s = p;
    *s->result = s->a + s->b;
}
static void read_number(void *p) {
    for (const char *c = p; *c; c++)
        number = number * 10 + (*c - '0');
}
static void increment(void *p) { ++*(long *)p; }
static void *worker(void *unused) {
    for (int i = 0; i < 3; i++)
        jobs[i].run(jobs[i].on);
    return 0;
}
int main(void) {
    pthread_t t;
    long n = 5;
    struct sum *s = malloc(sizeof *s);
    *s = (struct sum){2, 3, &total};
    jobs[0] = (struct job){add, s};
    jobs[1] = (struct job){read_number, text};
    jobs[2] = (struct job){increment, &n};
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(total == 5);
    assert(number == 305);
    assert(n == 5);
    return 0;
}
