// A semaphore that other processes see.
#include <fcntl.h>
#include <semaphore.h>
int main(void) {
    sem_t *s = sem_open("/s", O_CREAT, 0600, 1);
    sem_wait(s);
}
