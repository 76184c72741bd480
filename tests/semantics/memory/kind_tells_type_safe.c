// Messages with a pointer to anything, whose type a number tells.
// real: yes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct position {
    int x, y;
};
struct text {
    char s[8];
};
struct message {
    enum { POSITION, TEXT, END } kind;
    void *on;
};
static struct message queue[4];
static int first, waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int sum;
static size_t length;
static void post(int kind, void *on) {
    pthread_mutex_lock(&lock);
    queue[(first + waiting++) % 4] = (struct message){kind, on};
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}
static struct message take(void) {
    pthread_mutex_lock(&lock);
    while (!waiting)
        pthread_cond_wait(&filled, &lock);
    struct message m = queue[first];
    first = (first + 1) % 4;
    waiting--;
    pthread_mutex_unlock(&lock);
    return m;
}
static void *worker(void *unused) {
    for (;;) {
        struct message m = take();
        if (m.kind == POSITION) {
            struct position *p = m.on;
            sum += p->x + p->y;
        } else if (m.kind == TEXT) {
            struct text *t = m.on;
            length += strlen(t->s);
        } else {
            return 0;
        }
    }
}
int main(void) {
    pthread_t t;
    struct position *p = malloc(sizeof *p);
    struct text *x = malloc(sizeof *x);
    pthread_create(&t, 0, worker, 0);
    p->x = 1;
    p->y = 2;
    post(POSITION, p);
    strcpy(x->s, "hey");
    post(TEXT, x);
    post(END, 0);
    pthread_join(t, 0);
    assert(sum == 3);
    assert(length == 3);
    free(p);
    free(x);
    return 0;
}
