// valid-memsafety
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic latest;

static void *publish(void *arg) {
    latest = malloc(sizeof(int));
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, publish, NULL);
    pthread_create(&b, NULL, publish, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(latest);
    return 0;
}
