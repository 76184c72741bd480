/*
 * Lamport's fast mutual exclusion (TOCS 1987), two threads, on x86: a fence before each look at the gate and at who came last.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int trying1, trying2; /* the thread is between its start and its end */
volatile int last, gate;       /* last to start; who holds the gate, 0 when it is open */
volatile int visitor;

void *one(void *arg)
{
	while (1) {
start:
		trying1 = 1;
		last = 1;
		FENCE();
		if (gate != 0) {
			trying1 = 0;
			while (gate != 0)
				;
			goto start;
		}
		gate = 1;
		FENCE();
		if (last != 1) {
			trying1 = 0;
			while (trying2 != 0)
				;
			if (gate != 1) {
				while (gate != 0)
					;
				goto start;
			}
		}
		visitor = 1;
		assert(visitor == 1);
		gate = 0;
		trying1 = 0;
	}
}

void *two(void *arg)
{
	while (1) {
start:
		trying2 = 1;
		last = 2;
		FENCE();
		if (gate != 0) {
			trying2 = 0;
			while (gate != 0)
				;
			goto start;
		}
		gate = 2;
		FENCE();
		if (last != 2) {
			trying2 = 0;
			while (trying1 != 0)
				;
			if (gate != 2) {
				while (gate != 0)
					;
				goto start;
			}
		}
		visitor = 2;
		assert(visitor == 2);
		gate = 0;
		trying2 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
