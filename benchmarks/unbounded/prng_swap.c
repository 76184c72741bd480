/*
 * Pseudo-random numbers without a lock: a linear congruential generator of eight states, which compare-and-swap moves
 * on. It goes through all eight in turn, so no number comes twice in a row.
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
	} while (!__sync_bool_compare_and_swap(&seed, old, number));
	assert(number < 8 && number != old);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, gambler, 0);
}
