/* Clerks move a coin each from one purse to the other, in two sections of the lock; the auditor counts both purses in
 * one. With TOGETHER a clerk keeps the lock between. */
#include <assert.h>
#include <pthread.h>

#ifndef CLERKS
#define CLERKS 10000
#endif

int left = 100, right;
pthread_mutex_t purses = PTHREAD_MUTEX_INITIALIZER;

void *clerk(void *unused) {
    pthread_mutex_lock(&purses);
    left--;
#ifndef TOGETHER
    pthread_mutex_unlock(&purses);
    pthread_mutex_lock(&purses);
#endif
    right++;
    pthread_mutex_unlock(&purses);
    return NULL;
}

int main(void) {
    pthread_t clerks[CLERKS];
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, NULL);
    pthread_mutex_lock(&purses);
    assert(left + right == 100);
    pthread_mutex_unlock(&purses);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    return 0;
}
