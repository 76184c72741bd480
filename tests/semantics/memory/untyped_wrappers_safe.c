// A memory function on `void *` goes over the objects that are there, whatever called it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct job {
    int left;
    unsigned char tag;
    long right;
};
void *zeroed(size_t bytes) {
    void *block = malloc(bytes);
    memset(block, 0, bytes);
    return block;
}
void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes);
    memcpy(to, from, bytes);
    return to;
}
void fill(void *to, int byte, size_t bytes) { memset(to, byte, bytes); }
void *worker(void *arg) {
    struct job *j = arg;
    assert(j->left == 0 && j->right == 0);
    return 0;
}
int numbers[4];
char page[8];
int main(void) {
    pthread_t t;
    struct job *j = zeroed(sizeof(struct job));
    pthread_create(&t, 0, worker, j);
    pthread_join(t, 0);
    struct job first = {1, 2, 3};
    struct job *second = copy_of(&first, sizeof first);
    assert(second->left == 1 && second->tag == 2 && second->right == 3);
    fill(&numbers[1], 1, 2 * sizeof(int));
    assert(numbers[0] == 0 && numbers[1] == 0x01010101 && numbers[2] == 0x01010101 && numbers[3] == 0);
    fill(page, 65, 7);
    assert(page[6] == 65 && page[7] == 0);
    memset((void *)&first, 0, sizeof first);
    assert(first.right == 0);
}
