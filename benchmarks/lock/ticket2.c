/*
 * Ticket lock used by two threads, again and again.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int next;
int serving;
int visitor;

static int draw(void)
{
	int mine;

	__VERIFIER_atomic_begin();
	mine = next;
	next = next + 1;
	__VERIFIER_atomic_end();
	return mine;
}

void *left(void *arg)
{
	int mine;

	while (1) {
		mine = draw();
		while (serving != mine)
			;
		visitor = 0;
		assert(visitor <= 0);
		serving = serving + 1;
	}
}

void *right(void *arg)
{
	int mine;

	while (1) {
		mine = draw();
		while (serving != mine)
			;
		visitor = 1;
		assert(visitor >= 1);
		serving = serving + 1;
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
