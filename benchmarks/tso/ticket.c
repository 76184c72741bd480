/*
 * Ticket lock on x86, any number of threads: the number is taken in a locked step, and the next one is served by a plain
 * store. No fence is needed.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif
#define LAST 1000000u

unsigned next;
volatile unsigned serving;
volatile int inside;

void *customer(void *unused)
{
	unsigned mine;

	do {
		mine = *(volatile unsigned *)&next;
		if (mine == LAST)
			return 0;
	} while (!__sync_bool_compare_and_swap(&next, mine, mine + 1));
	while (serving != mine)
		;
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	serving = mine + 1;
	FENCE();
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, customer, 0);
}
