/*
 * An order violation in a thread library (Lu, Park, Seo and Zhou, ASPLOS 2008, figure 2): the new thread looks up
 * its own handle, and may do so before its creator has stored it.
 */
#include <assert.h>
#include <pthread.h>

int handle; /* of the thread that was made last; 0: none yet */
int state;  /* what the thread said about itself */

static int fresh_handle(void)
{
	return 17;
}

/* Body of the new thread. */
void *run(void *arg)
{
	int mine;

	mine = handle;
	assert(mine != 0);
	state = mine;
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, run, 0);
	handle = fresh_handle();
	pthread_join(t, 0);
	return 0;
}
