// A member that is seen through another struct changes.
#include <assert.h>
#include <pthread.h>
struct pair {
    int left, right;
};
int numbers[4];
void *writes(void *untyped) {
    struct pair *p = untyped;
    p[1].left = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writes, numbers);
    assert(numbers[2] == 0);
    pthread_join(t, 0);
    return 0;
}
