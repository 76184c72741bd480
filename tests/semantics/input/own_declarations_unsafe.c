// A program may declare the thread functions itself, in other words than the header.
typedef struct { int slots[8]; } pthread_attr_t;
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_error(void);
int x;
void *worker(void *arg) {
    x = 1;
    return arg;
}
int main() {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (!x)
        ERROR: __VERIFIER_error();
    return 0;
}
