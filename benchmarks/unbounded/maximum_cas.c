/*
 * The highest of any number of values: each thread finds the best of its own and compares and swaps that one into
 * place, as long as it is above what it saw there.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int highest;

void *worker(void *unused)
{
	int best, value, seen;

	best = __VERIFIER_nondet_int();
	while (__VERIFIER_nondet_int()) {
		value = __VERIFIER_nondet_int();
		if (value > best)
			best = value;
	}
	seen = highest;
	while (best > seen) {
		if (__sync_bool_compare_and_swap(&highest, seen, best))
			break;
		seen = highest;
	}
	assert(highest >= best);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, worker, 0);
}
