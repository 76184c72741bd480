/*
 * A thousand voters cast one ballot each, under a lock. Once main has waited for all of them, it counts a ballot for each.
 * LATE: it does not wait for the last one.
 */
#include <assert.h>
#include <pthread.h>

#define VOTERS 1000

pthread_mutex_t box = PTHREAD_MUTEX_INITIALIZER;
int ballots;

void *voter(void *unused)
{
	pthread_mutex_lock(&box);
	ballots++;
	pthread_mutex_unlock(&box);
	return 0;
}

int main(void)
{
	pthread_t voters[VOTERS];

	for (int i = 0; i < VOTERS; i++)
		pthread_create(&voters[i], 0, voter, 0);
#ifdef LATE
	for (int i = 0; i < VOTERS - 1; i++)
#else
	for (int i = 0; i < VOTERS; i++)
#endif
		pthread_join(voters[i], 0);
	assert(ballots == VOTERS);
	return 0;
}
