/*
 * Lamport's bakery in its general form, run by two threads: tickets and doorways are arrays, and the pair
 * (ticket, number) is compared in lexicographic order.
 */
#include <assert.h>
#include <pthread.h>

int choosing[2];
int ticket[2]; /* 0: not interested */
int visitor;   /* data that the critical section protects */

static void enter(int me, int other)
{
	int seen;

	choosing[me] = 1;
	seen = ticket[other];
	ticket[me] = seen + 1;
	choosing[me] = 0;
	while (choosing[other])
		;
	do {
		seen = ticket[other];
	} while (seen != 0 && (seen < ticket[me] || (seen == ticket[me] && other < me)));
}

static void leave(int me)
{
	ticket[me] = 0;
}

void *left(void *arg)
{
	while (1) {
		enter(0, 1);
		visitor = 0;
		assert(visitor <= 0);
		leave(0);
	}
}

void *right(void *arg)
{
	while (1) {
		enter(1, 0);
		visitor = 1;
		assert(visitor >= 1);
		leave(1);
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
