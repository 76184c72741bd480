// Functions with a variable number of arguments, called through pointers.
// real: yes
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
static int sum(int n, ...) {
    va_list list;
    int s = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        s += va_arg(list, int);
    va_end(list);
    return s;
}
static int greatest(int n, ...) {
    va_list list;
    int s = INT_MIN;
    va_start(list, n);
    while (n--) {
        int k = va_arg(list, int);
        if (k > s)
            s = k;
    }
    va_end(list);
    return s;
}
typedef int (*of_numbers)(int, ...);
static const of_numbers functions[] = {sum, greatest};
static of_numbers chosen = sum;
static void *worker(void *result) {
    *(int *)result = chosen(3, 1, 2, 3);
    return 0;
}
int main(void) {
    pthread_t t;
    int r;
    pthread_create(&t, 0, worker, &r);
    pthread_join(t, 0);
    assert(r == 6);
    assert(functions[1](2, 9, 4) == 9);
    assert(functions[0](2, 9, 4) == 13);
    return 0;
}
