// A ring of 100 places: what is in a place belongs there.
#include <assert.h>
#include <pthread.h>
#define PLACES 100
int place[PLACES], first, free_place, filled;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *put(void *p) {
    while (1) {
        pthread_mutex_lock(&lock);
        if (filled < PLACES) {
            place[free_place] = 3 * free_place;
            free_place = free_place == PLACES - 1 ? 0 : free_place + 1;
            filled++;
        }
        pthread_mutex_unlock(&lock);
    }
}
void *take(void *p) {
    while (1) {
        pthread_mutex_lock(&lock);
        if (filled > 0) {
            assert(place[first] == 0 || place[first] == 3 * first);
            first = first == PLACES - 1 ? 0 : first + 1;
            filled--;
        }
        pthread_mutex_unlock(&lock);
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, take, 0);
}
