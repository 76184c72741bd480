/*
 * Sequence lock on x86: one writer, any number of readers, which look again where the number has changed or is odd. Stores
 * stay in order, and so do loads: no fence is needed.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile unsigned number;
volatile int left, right; /* the same whenever nobody writes */

void *reader(void *unused)
{
	unsigned before;
	int l, r;

	do {
		do
			before = number;
		while (before % 2);
		l = left;
		r = right;
	} while (number != before);
	assert(l == r);
	return 0;
}

void *writer(void *unused)
{
	for (int k = 1; k <= 2; k++) {
		number = number + 1;
		FENCE();
		left = k;
		right = k;
		FENCE();
		number = number + 1;
	}
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, writer, 0);
	while (1)
		pthread_create(&t, 0, reader, 0);
}
