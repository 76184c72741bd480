/*
 * Ticket lock. A thread takes the next number and waits until it is served. Numbers do not come round: who finds the
 * last one goes away.
 */
#include <assert.h>
#include <pthread.h>

#define LAST 1000000u

unsigned next;
unsigned serving;
int inside;

void *customer(void *unused)
{
	unsigned mine;

	do {
		mine = next;
		if (mine == LAST)
			return 0;
	} while (!__sync_bool_compare_and_swap(&next, mine, mine + 1));
	while (serving != mine)
		;
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	serving = serving + 1;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, customer, 0);
}
