/*
 * Lamport's bakery (CACM 1974), two threads, numbers without bound, on x86: a fence after the door is opened and one after it
 * is closed.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int choosing0, choosing1;
volatile int ticket0, ticket1; /* 0: not interested */
volatile int visitor;

void *left(void *arg)
{
	int other;

	while (1) {
		choosing0 = 1;
		FENCE();
		other = ticket1;
		ticket0 = other + 1;
		choosing0 = 0;
		FENCE();
		while (choosing1 != 0)
			;
		while (ticket1 != 0 && ticket1 < other + 1)
			;
		visitor = 0;
		assert(visitor == 0);
		ticket0 = 0;
	}
}

void *right(void *arg)
{
	int other;

	while (1) {
		choosing1 = 1;
		FENCE();
		other = ticket0;
		ticket1 = other + 1;
		choosing1 = 0;
		FENCE();
		while (choosing0 != 0)
			;
		while (ticket0 != 0 && ticket0 <= other + 1)
			;
		visitor = 1;
		assert(visitor == 1);
		ticket1 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, left, 0);
	pthread_create(&b, 0, right, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
