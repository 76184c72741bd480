/*
 * Pseudo-random numbers without a lock: a linear congruential generator of eight states. Broken: the state is stored
 * whatever it is by then, so that a thread may see the state that it left a while ago.
 */
#include <assert.h>
#include <pthread.h>

unsigned char seed;

void *gambler(void *unused)
{
	unsigned char old, number;

	do {
		old = seed;
		number = (5 * old + 3) % 8;
		seed = number;
	} while (0);
	assert(seed != old || number == old);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, gambler, 0);
}
