// A block that another thread has freed.
// relyant: --property valid-memsafety
#include <pthread.h>
#include <stdlib.h>
int *block;
void *release(void *arg) {
    (void)arg;
    free(block);
    return 0;
}
int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, 0, release, 0);
    *block = 1;
    pthread_join(t, 0);
}
