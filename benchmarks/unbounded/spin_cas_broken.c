/*
 * As spin_cas.c, but a thread may give up waiting, and on its way out it frees the lock that another one holds.
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
		if (__VERIFIER_nondet_int())
			goto out;
	before = number;
	number = before + 1;
	assert(number == before + 1);
out:
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
