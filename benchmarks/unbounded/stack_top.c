/*
 * A stack in an array, of which compare-and-swap moves the top: pushing claims the place above, popping gives the top
 * place up. The top never leaves the array.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define PLACES 6

int top;

void *push(void *unused)
{
	int place;

	do {
		place = top;
		if (place == PLACES)
			return 0;
	} while (!__sync_bool_compare_and_swap(&top, place, place + 1));
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
