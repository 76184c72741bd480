/*
 * As prng_lock.c, but the two words are read before the mutex is taken: they may belong to different steps.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int older, newer = 1;

void *gambler(void *unused)
{
	int a, b;

	a = older;
	b = newer;
	pthread_mutex_lock(&guard);
	older = b;
	newer = (a + b) % 5;
	assert(older != 0 || newer != 0);
	pthread_mutex_unlock(&guard);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, gambler, 0);
}
