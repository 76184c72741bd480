/*
 * As updown_lock.c, but a car looks for a free place before it takes the mutex.
 */
#include <assert.h>
#include <pthread.h>

#ifndef PLACES
#define PLACES 3
#endif

pthread_mutex_t barrier = PTHREAD_MUTEX_INITIALIZER;
int parked;

void *car(void *unused)
{
	if (parked == PLACES)
		return 0;
	pthread_mutex_lock(&barrier);
	parked = parked + 1;
	pthread_mutex_unlock(&barrier);

	pthread_mutex_lock(&barrier);
	assert(0 < parked && parked <= PLACES);
	parked = parked - 1;
	pthread_mutex_unlock(&barrier);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, car, 0);
}
