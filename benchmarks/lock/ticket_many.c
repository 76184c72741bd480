/*
 * Ticket lock for any number of threads: draw a ticket in one step, wait until it is served, serve the next.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int next;    /* ticket that will be drawn next */
int serving; /* ticket whose holder may enter */
int inside;  /* number of threads in the critical section */

static int draw(void)
{
	int mine;

	__VERIFIER_atomic_begin();
	mine = next;
	next = next + 1;
	__VERIFIER_atomic_end();
	return mine;
}

void *client(void *arg)
{
	int mine;

	mine = draw();
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
