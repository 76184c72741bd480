/*
 * As counter_lock.c, but a thread that finds the mutex taken goes ahead without it.
 */
#include <assert.h>
#include <pthread.h>

#define LIMIT 1000

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
unsigned served;

void *client(void *unused)
{
	unsigned before;
	int busy;

	busy = pthread_mutex_trylock(&guard);
	before = served;
	if (before < LIMIT) {
		served = before + 1;
		assert(served == before + 1);
	}
	if (!busy)
		pthread_mutex_unlock(&guard);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, client, 0);
}
