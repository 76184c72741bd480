// real: yes
/* Arguments from a list, by this function and by one that it is passed to; promoted, in two threads. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
static int one_by_one(const char *types, va_list list) {
    int sum = 0;
    for (; *types; types++)
        switch (*types) {
        case 'i': sum += va_arg(list, int); break;
        case 'u': sum += va_arg(list, unsigned) == 0xffffffffu; break;
        case 'l': sum += (int)va_arg(list, long); break;
        case 'd': sum += va_arg(list, double) > 1.25; break;
        case 'p': ++*va_arg(list, int *); break;
        }
    return sum;
}
static int sum(const char *types, ...) {
    va_list list, again;
    va_start(list, types);
    va_copy(again, list);
    int first = va_arg(again, int);
    int all = one_by_one(types, list);
    va_end(again);
    va_end(list);
    return all - first;
}
void *worker(void *result) {
    char c = -1;
    short two = 2;
    float f = 1.5f;
    int seen = 0;
    int all = sum("iiuldp", c, two, -1, 3L, f, &seen);
    *(int *)result = all * seen;
    return 0;
}
int main(void) {
    pthread_t t;
    int a = 0, b = 0;
    pthread_create(&t, 0, worker, &a);
    worker(&b);
    pthread_join(t, 0);
    assert(a == b && sum("i", 7) == 0);
    assert(a == 7);
    return 0;
}
