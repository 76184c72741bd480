/*
 * A crew of a thousand threads, whose handles are in an array. Each reports under a lock, as main does meanwhile; once main has
 * waited for all, it begins a new count without the lock. EARLY: it has not waited for the last one.
 */
#include <pthread.h>

#define CREW 1000

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int reports;

void *sailor(void *unused)
{
	pthread_mutex_lock(&lock);
	reports = reports + 1;
	pthread_mutex_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t crew[CREW];
	int k;

	for (k = 0; k < CREW; k++)
		pthread_create(&crew[k], 0, sailor, 0);
	pthread_mutex_lock(&lock);
	reports = reports + 1;
	pthread_mutex_unlock(&lock);
#ifdef EARLY
	for (k = 0; k < CREW - 1; k++)
#else
	for (k = 0; k < CREW; k++)
#endif
		pthread_join(crew[k], 0);
	reports = 0;
	return 0;
}
