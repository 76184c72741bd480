/*
 * CLH queue lock (Craig; Landin and Hagersten, 1993), two threads with three nodes, on x86: a thread waits for the node of
 * the one before it, and takes that node over. No fence is needed.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int busy[3];
volatile int tail; /* node of the last thread */
volatile int visitor;

void *run(void *arg)
{
	int me = (int)(long)arg;
	int node = me;
	int before;

	while (1) {
		busy[node] = 1;
		before = __sync_lock_test_and_set(&tail, node);
		while (busy[before])
			;
		visitor = me;
		assert(visitor == me);
		busy[node] = 0;
		FENCE();
		node = before;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, run, (void *)1);
	pthread_create(&b, 0, run, (void *)2);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
