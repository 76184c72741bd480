/*
 * Additive generator of pseudo-random numbers, x(n) = x(n-1) + x(n-2) modulo 5, with its two words under a mutex. A
 * step can be undone, so that both words are zero after it only if they were before.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int older, newer = 1;

void *gambler(void *unused)
{
	int a, b;

	pthread_mutex_lock(&guard);
	a = older;
	b = newer;
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
