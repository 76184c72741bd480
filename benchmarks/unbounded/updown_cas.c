/*
 * References to an object, counted without a lock: who has one finds the count above zero. At most MAX are given out.
 */
#include <assert.h>
#include <pthread.h>

#ifndef MAX
#define MAX 3
#endif

int references;

static int get(void)
{
	int old;

	do {
		old = references;
		if (old == MAX)
			return 0;
	} while (!__sync_bool_compare_and_swap(&references, old, old + 1));
	return 1;
}

static void put(void)
{
	int old;

	do {
		old = references;
		assert(old > 0);
	} while (!__sync_bool_compare_and_swap(&references, old, old - 1));
}

void *user(void *unused)
{
	if (get())
		put();
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, user, 0);
}
