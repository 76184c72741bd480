/*
 * Lamport's bakery (CACM 1974), two threads, tickets without bound. While a thread is in the doorway (`choosing`)
 * nobody compares tickets with it; of two equal tickets the left one goes first.
 */
#include <assert.h>
#include <pthread.h>

int choosing0, choosing1;
int ticket0, ticket1; /* 0: not interested */
int visitor;          /* data that the critical section protects */

void *left(void *arg)
{
	int other;

	while (1) {
		choosing0 = 1;
		other = ticket1;
		ticket0 = other + 1;
		choosing0 = 0;
		while (choosing1 != 0)
			;
		while (ticket1 != 0 && ticket1 < ticket0)
			;
		visitor = 0;
		assert(visitor <= 0);
		ticket0 = 0;
	}
}

void *right(void *arg)
{
	int other;

	while (1) {
		choosing1 = 1;
		other = ticket0;
		ticket1 = other + 1;
		choosing1 = 0;
		while (choosing0 != 0)
			;
		while (ticket0 != 0 && ticket0 <= ticket1)
			;
		visitor = 1;
		assert(visitor >= 1);
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
