/*
 * MCS queue lock (Mellor-Crummey and Scott, TOCS 1991): three threads take it twice each. Nodes are in an array; the
 * queue is a chain of them, and each waits at its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
};

struct node nodes[3];
_Atomic(struct node *) tail;
int visitor;

void *thread(void *place)
{
	int me = (int)(long)place, i;
	struct node *mine = &nodes[me], *before, *after, *expected;

	for (i = 0; i < ROUNDS; i++) {
		atomic_store(&mine->next, 0);
		before = atomic_exchange(&tail, mine);
		if (before) {
			atomic_store(&mine->waits, 1);
			atomic_store(&before->next, mine);
			while (atomic_load(&mine->waits))
				;
		}
		visitor = me;
		assert(visitor == me);
		after = atomic_load(&mine->next);
		if (!after) {
			expected = mine;
			if (atomic_compare_exchange_strong(&tail, &expected, 0))
				continue;
			while (!(after = atomic_load(&mine->next)))
				;
		}
		atomic_store(&after->waits, 0);
	}
	return 0;
}

int main(void)
{
	pthread_t t[3];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&t[i], 0, thread, (void *)(long)i);
	for (i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
