/*
 * Any number of threads insert keys into a binary search tree of bounded size, each node with a lock of its own.
 * The scheme is broken: a thread looks whether a place is free before it takes the lock, and does not look again.
 * With REPAIRED it looks again.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define NODES 8 /* node n has the children 2n and 2n + 1; 0 is not used */

int key[NODES]; /* 0: free */
pthread_mutex_t lock[NODES] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void insert(int node, int k)
{
	int here;

	if (node >= NODES)
		return; /* no room */
	if (key[node] == 0) {
		pthread_mutex_lock(&lock[node]);
#ifdef REPAIRED
		if (key[node] == 0) {
			key[node] = k;
			pthread_mutex_unlock(&lock[node]);
			return;
		}
#else
		assert(key[node] == 0); /* else a key is lost */
		key[node] = k;
		pthread_mutex_unlock(&lock[node]);
		return;
#endif
		pthread_mutex_unlock(&lock[node]);
	}
	here = key[node];
	if (here != k)
		insert(2 * node + (k > here), k);
}

void *inserter(void *unused)
{
	insert(1, __VERIFIER_nondet_int() ? 1 : 2);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, inserter, 0);
}
