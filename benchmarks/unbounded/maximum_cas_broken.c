/*
 * As maximum_cas.c, but the value to compare with is read anew after the test: it may be above the own best by then.
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
	while (best > highest) {
		seen = highest;
		if (__sync_bool_compare_and_swap(&highest, seen, best))
			break;
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
