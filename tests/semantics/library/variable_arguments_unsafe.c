// A function that logs what happens.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
int lines, seen;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void note(const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    pthread_mutex_lock(&lock);
    lines++;
    vprintf(format, list);
    pthread_mutex_unlock(&lock);
    va_end(again);
    va_end(list);
}
static int smallest(int n, ...) {
    va_list list;
    va_start(list, n);
    int least = 1000;
    for (int i = 0; i < n; i++) {
        int x = va_arg(list, int);
        if (x < least)
            least = x;
    }
    va_end(list);
    return least;
}
void *worker(void *p) {
    note("%s at %d\n", "worker", smallest(2, 7, seen));
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    note("%d\n", 1);
    pthread_join(t, 0);
    assert(lines != 2);
}
