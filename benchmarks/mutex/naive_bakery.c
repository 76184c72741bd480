/*
 * The bakery without a doorway (Manna and Pnueli, "Temporal Verification of Reactive Systems: Safety").
 * A ticket is drawn and compared in one statement each: mutual exclusion holds when each statement is one step,
 * and fails when the read of the other's ticket and the write of one's own can come apart.
 */
#include <assert.h>
#include <pthread.h>

int ticket0, ticket1; /* 0: not interested */
int visitor;          /* data that the critical section protects */

void *left(void *arg)
{
	while (1) {
		ticket0 = ticket1 + 1;
		while (ticket1 != 0 && ticket1 < ticket0)
			;
		visitor = 0;
		assert(visitor <= 0);
		ticket0 = 0;
	}
}

void *right(void *arg)
{
	while (1) {
		ticket1 = ticket0 + 1;
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
