// relyant: --property no-data-race
// violation: data race on memory that is freed
#include <pthread.h>
#include <stdlib.h>
int *p;
void *reader(void *arg) {
    int k = *p;
    return 0;
}
int main(void) {
    pthread_t t;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&t, 0, reader, 0);
    free(p);
    return 0;
}
