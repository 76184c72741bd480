/*
 * Pseudo-random numbers without a lock. One word holds the seed, three bits of a linear congruential generator, and
 * above it how many numbers may still be drawn before a new seed is due: that never goes up.
 */
#include <assert.h>
#include <pthread.h>

#ifndef DRAWS
#define DRAWS 6
#endif

unsigned state = DRAWS * 8 + 1;

static unsigned step(unsigned s)
{
	unsigned left = s / 8, seed = s % 8;

	return (left - 1) * 8 + (5 * seed + 3) % 8;
}

void *gambler(void *unused)
{
	unsigned old;

	do {
		old = state;
		if (old < 8)
			return 0;
	} while (!__sync_bool_compare_and_swap(&state, old, step(old)));
	assert(state < old);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, gambler, 0);
}
