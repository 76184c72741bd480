/*
 * Spin lock on x86 that looks before it tries (test and test-and-set), any number of threads. The lock is given back by a
 * plain store. No fence is needed: who looks too early looks again, or fails to take the lock.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int held;
volatile int inside;

void *worker(void *unused)
{
	while (1) {
		do {
			while (held)
				;
		} while (__sync_lock_test_and_set(&held, 1));
		inside = inside + 1;
		assert(inside == 1);
		inside = inside - 1;
		__sync_lock_release(&held);
		FENCE();
	}
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, worker, 0);
}
