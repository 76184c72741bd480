// relyant: --ilp32
// `$` in names, and `__thread`.
int x$w_buff0, y$;
__thread int own = 3;
extern void abort(void);
void reach_error(void);
typedef unsigned long pthread_t;
typedef union { char size[36]; long align; } pthread_attr_t;
extern int pthread_create(pthread_t *h, const pthread_attr_t *a, void *(*f)(void *), void *arg);
extern int pthread_join(pthread_t h, void **result);
void *P$0(void *arg) {
    own = own + 1;
    x$w_buff0 = own;
    return arg;
}
int main(void) {
    pthread_t t$1;
    pthread_create(&t$1, 0, P$0, 0);
    pthread_join(t$1, 0);
    y$ = own;
    if (!(x$w_buff0 == 4 && y$ == 4)) {
        reach_error();
        abort();
    }
    return 0;
}
