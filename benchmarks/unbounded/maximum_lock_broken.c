/*
 * As maximum_lock.c, but a bid does not look again under the mutex: a higher one may have been made while it waited.
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
