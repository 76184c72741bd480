/*
 * A triangular race (Owens, ECOOP 2010): one thread has a store waiting when it reads what the other one writes. Here no
 * assertion depends on it, so that the program is right without a fence, though not all its runs are sequentially
 * consistent ones.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int started, value;
int seen;

void *reads(void *unused)
{
	started = 1;
	FENCE();
	seen = value;
	assert(seen == 0 || seen == 2);
	return 0;
}

void *writes(void *unused)
{
	value = 2;
	if (started)
		assert(value == 2);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, reads, 0);
	pthread_create(&b, 0, writes, 0);
	return 0;
}
