/*
 * Peterson's algorithm (1981) on x86. A thread's store to its flag waits in the store buffer while the thread looks at the
 * other flag: without a fence between the two both come in.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int wants0, wants1, turn;
volatile int visitor; /* data that the critical section protects */

void *zero(void *arg)
{
	while (1) {
		wants0 = 1;
		turn = 1;
		FENCE();
		while (wants1 && turn == 1)
			;
		visitor = 0;
		assert(visitor == 0);
		wants0 = 0;
	}
}

void *one(void *arg)
{
	while (1) {
		wants1 = 1;
		turn = 0;
		FENCE();
		while (wants0 && turn == 0)
			;
		visitor = 1;
		assert(visitor == 1);
		wants1 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, zero, 0);
	pthread_create(&b, 0, one, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
