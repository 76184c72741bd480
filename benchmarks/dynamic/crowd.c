/*
 * Threads arrive without end. Each writes down how many it has seen and counts itself in; K of them at the same place are too many.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifndef K
#define K 3
#endif

int inside;

void *visitor(void *unused)
{
	int seen;

	__VERIFIER_atomic_begin();
	inside++;
	__VERIFIER_atomic_end();
	seen = inside;
	assert(seen < K);
	__VERIFIER_atomic_begin();
	inside--;
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, visitor, 0);
}
