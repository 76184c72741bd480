#include <pthread.h>
int main(void)
{
    pthread_key_t key;
    return pthread_key_create(&key, 0);
}
