/*
 * MCS queue lock (Mellor-Crummey and Scott, TOCS 1991), two threads, on x86. The end of the queue changes hands in locked
 * steps. No fence is needed: the one before can give the lock only once it has seen who comes next.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int next1, next2;     /* who comes after a thread, 0 for nobody */
volatile int waiting1, waiting2;
volatile int tail;
volatile int visitor;

void *one(void *unused)
{
	while (1) {
		next1 = 0;
		waiting1 = 1;
		if (__sync_lock_test_and_set(&tail, 1) == 2) {
			next2 = 1;
			FENCE();
			while (waiting1)
				;
		}
		visitor = 1;
		assert(visitor == 1);
		if (next1 == 0 && __sync_bool_compare_and_swap(&tail, 1, 0))
			continue;
		while (next1 == 0)
			;
		waiting2 = 0;
	}
}

void *two(void *unused)
{
	while (1) {
		next2 = 0;
		waiting2 = 1;
		if (__sync_lock_test_and_set(&tail, 2) == 1) {
			next1 = 2;
			FENCE();
			while (waiting2)
				;
		}
		visitor = 2;
		assert(visitor == 2);
		if (next2 == 0 && __sync_bool_compare_and_swap(&tail, 2, 0))
			continue;
		while (next2 == 0)
			;
		waiting1 = 0;
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
