// Valid memory as SV-COMP asks for it; assertions are not asked about.
// relyant: --property valid-memsafety
#include <assert.h>
#include <pthread.h>
int cells[4];
void *fill(void *arg) {
    int *first = arg;
    for (int i = 0; i < 4; i++) first[i] = i;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, fill, cells);
    pthread_join(t, 0);
    assert(cells[0] == 1);
}
