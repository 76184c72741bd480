/*
 * As stop_flag.c, but the flag is set after the wait: a worker may come in between.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef MAX
#define MAX 3
#endif

int users;
int stopping;
int released;

void *worker(void *unused)
{
	int old;

	do {
		old = users;
		if (old == MAX)
			return 0;
	} while (!__sync_bool_compare_and_swap(&users, old, old + 1));
	if (!stopping)
		assert(!released);
	__sync_fetch_and_sub(&users, 1);
	return 0;
}

void *stop(void *unused)
{
	while (users != 0)
		;
	stopping = 1;
	released = 1;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, worker, 0);
		else
			pthread_create(&t, 0, stop, 0);
	}
}
