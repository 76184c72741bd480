/*
 * Ticket lock whose tickets are drawn in two steps: two threads may draw the same one.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int next;
int serving;
int inside;

void *client(void *arg)
{
	int mine;

	mine = next;
	next = mine + 1;
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

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, client, 0);
	return 0;
}
