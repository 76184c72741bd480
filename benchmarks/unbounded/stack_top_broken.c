/*
 * A stack in an array, whose top is moved. Broken: whether there is a place is looked at before the place is claimed, and
 * not again, so that two threads may both take the last one.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define PLACES 6

int top;

void *push(void *unused)
{
	int place;

	if (top == PLACES)
		return 0;
	place = __sync_fetch_and_add(&top, 1);
	assert(0 <= place && place < PLACES);
	return 0;
}

void *pop(void *unused)
{
	int above;

	do {
		above = top;
		if (above == 0)
			return 0;
	} while (!__sync_bool_compare_and_swap(&top, above, above - 1));
	assert(0 < above && above <= PLACES);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, push, 0);
		else
			pthread_create(&t, 0, pop, 0);
	}
}
