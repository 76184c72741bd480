/*
 * A thousand threads add to a tally without a lock, and main counts on all of them: two that read before either writes lose one.
 */
#include <assert.h>
#include <pthread.h>

#define VOTERS 1000

int tally;

void *voter(void *unused)
{
	tally = tally + 1;
	return 0;
}

int main(void)
{
	pthread_t voters[VOTERS];
	int k;

	for (k = 0; k < VOTERS; k++)
		pthread_create(&voters[k], 0, voter, 0);
	for (k = 0; k < VOTERS; k++)
		pthread_join(voters[k], 0);
	assert(tally == VOTERS);
	return 0;
}
