// relyant: --property no-data-race
#include <pthread.h>
#include <stdlib.h>
int *p;
void *work(void *a) {
    *p = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    p = malloc(sizeof *p);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    int *q = realloc(p, 2 * sizeof *p);
    return q == 0;
}
