// The address of a loop's variable as argument: threads may see what the loop has made of it.
#include <assert.h>
#include <pthread.h>
int seen[2];
void *worker(void *arg) {
    int i = *(int *)arg;
    if (i < 2)
        seen[i] = 1;
    return 0;
}
int main(void) {
    pthread_t t[2];
    int args[2], i;
    for (i = 0; i < 2; i++) {
        args[i] = i;
        pthread_create(&t[i], 0, worker, &i);
    }
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], 0);
    assert(seen[0] && seen[1]);
}
