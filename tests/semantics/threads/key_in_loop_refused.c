// A key with a destructor that may be made any number of times.
#include <pthread.h>
int nondet_int(void);
void destroy(void *value) { (void)value; }
int main(void) {
    pthread_key_t key;
    while (nondet_int())
        pthread_key_create(&key, destroy);
}
