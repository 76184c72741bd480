/*
 * The highest of any number of bids. A bid that is too low does not wait for the mutex; another looks again under it.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int highest;

void *bidder(void *unused)
{
	int bid = __VERIFIER_nondet_int();

	if (bid > highest) {
		pthread_mutex_lock(&guard);
		if (bid > highest)
			highest = bid;
		pthread_mutex_unlock(&guard);
	}
	assert(highest >= bid);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, bidder, 0);
}
