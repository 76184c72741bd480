/*
 * Dekker's algorithm (1965) on x86: fences after both stores that announce a thread.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int wants0, wants1, turn;
volatile int visitor;

void *zero(void *arg)
{
	while (1) {
		wants0 = 1;
		FENCE();
		while (wants1) {
			if (turn != 0) {
				wants0 = 0;
				while (turn != 0)
					;
				wants0 = 1;
				FENCE();
			}
		}
		visitor = 0;
		assert(visitor == 0);
		turn = 1;
		wants0 = 0;
	}
}

void *one(void *arg)
{
	while (1) {
		wants1 = 1;
		FENCE();
		while (wants0) {
			if (turn != 1) {
				wants1 = 0;
				while (turn != 1)
					;
				wants1 = 1;
				FENCE();
			}
		}
		visitor = 1;
		assert(visitor == 1);
		turn = 0;
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
