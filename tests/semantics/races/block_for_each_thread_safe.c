// relyant: --property no-data-race
// Each thread fills in the block that was made for it, and it is looked at after the thread has ended.
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct request {
    pthread_t by;
    int answer;
};
static void *serve(void *given)
{
    struct request *mine = given;
    mine->answer = __VERIFIER_nondet_int();
    return NULL;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        return 0;
    struct request **all = malloc(n * sizeof(*all));
    for (int k = 0; k < n; k++) {
        struct request *next = malloc(sizeof(*next));
        all[k] = next;
        pthread_create(&next->by, NULL, serve, next);
    }
    for (int k = 0; k < n; k++) {
        pthread_join(all[k]->by, NULL);
        free(all[k]);
    }
    return 0;
}
