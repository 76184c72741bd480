/*
 * A car park of a few places. Cars come and go without end; a mutex guards the number of those inside, which is that
 * of the threads between their two halves.
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
	pthread_mutex_lock(&barrier);
	if (parked == PLACES) {
		pthread_mutex_unlock(&barrier);
		return 0;
	}
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
