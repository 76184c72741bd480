/*
 * As many errands as one asks for, a thread each; their handles are in memory of that size. Each takes two coins from the purse, in one step.
 * What is left in the end is what was there before, but for two coins an errand. GREEDY: it is done in two steps.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define COINS 5000

atomic_int purse = COINS;

void *errand(void *unused)
{
#ifdef GREEDY
	int coins = atomic_load(&purse);
	atomic_store(&purse, coins - 2);
#else
	atomic_fetch_sub(&purse, 2);
#endif
	return 0;
}

int main(void)
{
	int errands = __VERIFIER_nondet_int();
	if (errands < 1 || errands > COINS / 2)
		return 0;
	pthread_t *runs = malloc(errands * sizeof *runs);
	if (!runs)
		return 0;
	for (int i = 0; i < errands; i++)
		pthread_create(&runs[i], 0, errand, 0);
	for (int i = 0; i < errands; i++)
		pthread_join(runs[i], 0);
	assert(atomic_load(&purse) == COINS - 2 * errands);
	free(runs);
	return 0;
}
