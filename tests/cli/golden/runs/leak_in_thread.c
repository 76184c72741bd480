// valid-memsafety
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int stopped;

static void *worker(void *arg) {
    int *box = malloc(sizeof *box);
    if (stopped)
        return NULL;
    free(box);
    return NULL;
}

int main(void) {
    pthread_t w;
    pthread_create(&w, NULL, worker, NULL);
    stopped = 1;
    pthread_join(w, NULL);
    return 0;
}
