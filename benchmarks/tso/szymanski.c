/*
 * Szymanski's algorithm (ICS 1988), two threads, on x86. A flag says how far a thread has come: 0 outside, 1 wants in, 2 in
 * the waiting room, 3 in the doorway, 4 the door is closed. A fence after each step forward.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int flag0, flag1;
volatile int visitor;

void *low(void *arg)
{
	int seen;

	while (1) {
		flag0 = 1;
		FENCE();
		while (flag1 >= 3)
			;
		flag0 = 3;
		FENCE();
		if (flag1 == 1) {
			flag0 = 2;
			while (flag1 != 4)
				;
		}
		flag0 = 4;
		FENCE();
		visitor = 0;
		assert(visitor == 0);
		do {
			seen = flag1;
		} while (seen == 2 || seen == 3);
		flag0 = 0;
	}
}

void *high(void *arg)
{
	while (1) {
		flag1 = 1;
		FENCE();
		while (flag0 >= 3)
			;
		flag1 = 3;
		FENCE();
		if (flag0 == 1) {
			flag1 = 2;
			while (flag0 != 4)
				;
		}
		flag1 = 4;
		FENCE();
		while (flag0 >= 2)
			;
		visitor = 1;
		assert(visitor == 1);
		flag1 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, low, 0);
	pthread_create(&b, 0, high, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
