// relyant: --property no-data-race
#include <pthread.h>
_Atomic int flag;
int data;
void *send(void *p) {
    data = 7;
    flag = 1;
    return 0;
}
void *receive(void *p) {
    if (flag)
        data++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, send, 0);
    pthread_create(&b, 0, receive, 0);
    return 0;
}
