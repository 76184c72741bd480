// relyant: --property no-overflow
#include <pthread.h>
_Atomic int i = 2147483647;
void *worker(void *p) {
    i++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
// compiled: no sanitizer looks at the arithmetic of atomic objects
