/*
 * Treiber's stack (1986) with indices for pointers. Each node is filled before it is pushed, is pushed once, and keeps
 * its value: who pops one finds it filled.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef NODES
#define NODES 2
#endif

int below[NODES + 1]; /* the node under each node, 0: none */
int value[NODES + 1]; /* 0: not filled yet */
int top;
int used; /* nodes 1 to used have been handed out */

void *push(void *unused)
{
	int last, node, old;

	do {
		last = used;
		if (last == NODES)
			return 0;
		node = last + 1;
	} while (!__sync_bool_compare_and_swap(&used, last, node));
	value[node] = 1;
	do {
		old = top;
		below[node] = old;
	} while (!__sync_bool_compare_and_swap(&top, old, node));
	return 0;
}

void *pop(void *unused)
{
	int node, under;

	do {
		node = top;
		if (node == 0)
			return 0;
		under = below[node];
	} while (!__sync_bool_compare_and_swap(&top, node, under));
	assert(value[node] != 0);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, push, 0);
		else
			pthread_create(&t, 0, pop, 0);
	}
}
