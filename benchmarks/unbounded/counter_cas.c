/*
 * A counter without a lock: read it, and compare and swap until nobody was faster. It only grows, and stops at LIMIT
 * before it could wrap.
 */
#include <assert.h>
#include <pthread.h>

#define LIMIT 1000

unsigned hits;

void *visitor(void *unused)
{
	unsigned old;

	do {
		old = hits;
		if (old >= LIMIT)
			return 0;
	} while (!__sync_bool_compare_and_swap(&hits, old, old + 1));
	assert(hits > old);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, visitor, 0);
}
