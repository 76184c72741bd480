/*
 * As counter_cas.c, but with a swap that does not compare: a late thread takes the counter back.
 */
#include <assert.h>
#include <pthread.h>

#define LIMIT 1000

unsigned hits;

void *visitor(void *unused)
{
	unsigned old;

	old = hits;
	if (old >= LIMIT)
		return 0;
	__sync_lock_test_and_set(&hits, old + 1);
	assert(hits > old);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, visitor, 0);
}
