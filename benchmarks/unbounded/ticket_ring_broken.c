/*
 * As ticket_ring.c, but nobody goes away: with more than RING threads waiting, two have the same ticket.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifndef RING
#define RING 4
#endif

int next;    /* ticket to draw */
int serving; /* whose turn it is */
int inside;  /* threads in the critical section */

void *customer(void *unused)
{
	int mine;

	__VERIFIER_atomic_begin();
	mine = next;
	next = (mine + 1) % RING;
	__VERIFIER_atomic_end();
	while (serving != mine)
		;
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	serving = (mine + 1) % RING;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, customer, 0);
}
