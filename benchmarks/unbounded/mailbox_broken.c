/*
 * As mailbox.c, but a receiver looks and opens in two steps: another one may have come before.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

enum { EMPTY, FILLING, FULL, EMPTYING };

int state = EMPTY;
int letter; /* 0: none */

void *sender(void *unused)
{
	if (__sync_bool_compare_and_swap(&state, EMPTY, FILLING)) {
		assert(letter == 0);
		letter = 1;
		state = FULL;
	}
	return 0;
}

void *receiver(void *unused)
{
	if (state == FULL) {
		state = EMPTYING;
		assert(letter == 1);
		letter = 0;
		state = EMPTY;
	}
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, sender, 0);
		else
			pthread_create(&t, 0, receiver, 0);
	}
}
