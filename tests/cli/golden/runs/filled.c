// valid-memsafety
#include <pthread.h>
#include <stdlib.h>

struct msg {
    char text[8];
    int len;
};

static struct msg *_Atomic box;

static void *reader(void *arg) {
    struct msg *mine = box;
    return (void *)(long)mine->len;
}

static void *writer(void *arg) {
    struct msg *old = box;
    box = calloc(1, sizeof *box);
    free(old);
    return NULL;
}

int main(void) {
    pthread_t r, w;
    box = calloc(1, sizeof *box);
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    free(box);
    return 0;
}
