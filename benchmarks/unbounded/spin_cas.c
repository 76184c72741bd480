/*
 * Spin lock of one bit that does not say who holds it, and a number that only its holder may change.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int taken;
unsigned number;

void *client(void *unused)
{
	unsigned before;

	while (!__sync_bool_compare_and_swap(&taken, 0, 1))
		;
	before = number;
	number = before + 1;
	assert(number == before + 1);
	taken = 0;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, client, 0);
	return 0;
}
