/*
 * Treiber's stack (1986) on x86: nodes by number, each pushed once; what is popped has the value that was pushed. A node is
 * filled by plain stores and published in a locked step. No fence is needed.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int top; /* number of the first node, 0 for none */
volatile int next[4];
volatile int value[4];

void push(int node)
{
	int first;

	value[node] = node + 10;
	do {
		first = top;
		next[node] = first;
		FENCE();
	} while (!__sync_bool_compare_and_swap(&top, first, node));
}

void *pusher(void *arg)
{
	push(1);
	push(2);
	return 0;
}

void *other(void *arg)
{
	push(3);
	return 0;
}

void *popper(void *arg)
{
	int first, after;

	for (int k = 0; k < 2; k++) {
		do {
			first = top;
			if (first == 0)
				return 0;
			after = next[first];
		} while (!__sync_bool_compare_and_swap(&top, first, after));
		assert(value[first] == first + 10);
	}
	return 0;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, 0, pusher, 0);
	pthread_create(&b, 0, other, 0);
	pthread_create(&c, 0, popper, 0);
	return 0;
}
