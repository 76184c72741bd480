/*
 * Peterson's mutual exclusion for two threads (Information Processing Letters, 1981).
 * Each thread enters again and again; `visitor` is touched by the one inside only.
 */
#include <assert.h>
#include <pthread.h>

int want0, want1; /* the thread asks to enter */
int turn;         /* who yields when both ask */
int visitor;      /* data that the critical section protects */

void *left(void *arg)
{
	while (1) {
		want0 = 1;
		turn = 1;
		while (want1 == 1 && turn == 1)
			;
		visitor = 0;
		assert(visitor <= 0);
		want0 = 0;
	}
}

void *right(void *arg)
{
	while (1) {
		want1 = 1;
		turn = 0;
		while (want0 == 1 && turn == 0)
			;
		visitor = 1;
		assert(visitor >= 1);
		want1 = 0;
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
