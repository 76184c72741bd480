/*
 * A pool of two nodes on Treiber's stack: threads take one and put it back. A thread that was about to take the upper
 * node sleeps while both are taken and the upper one is put back; its compare-and-swap succeeds, and the lower node,
 * which is in use, is on the stack again.
 */
#include <assert.h>
#include <pthread.h>

int below[3] = { 0, 0, 1 };
int in_use[3];
int top = 2;

static int take(void)
{
	int node, under;

	do {
		node = top;
		if (node == 0)
			return 0;
		under = below[node];
	} while (!__sync_bool_compare_and_swap(&top, node, under));
	return node;
}

static void give(int node)
{
	int old;

	do {
		old = top;
		below[node] = old;
	} while (!__sync_bool_compare_and_swap(&top, old, node));
}

void *borrower(void *unused)
{
	int node;

	node = take();
	if (node != 0) {
		assert(!in_use[node]);
		in_use[node] = 1;
		in_use[node] = 0;
		give(node);
	}
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, borrower, 0);
}
