/*
 * As updown_cas.c, but a reference is given back in two steps, and one that was taken in between is forgotten.
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

	old = references;
	assert(old > 0);
	references = old - 1;
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
