// relyant: --check memory
#include <pthread.h>
void *work(void *p) {
    *(int *)p = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    {
        int k = 0;
        pthread_create(&t, 0, work, &k);
        pthread_join(t, 0);
    }
    return 0;
}
