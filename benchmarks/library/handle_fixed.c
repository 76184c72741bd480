/*
 * The thread library's order violation (handle_broken.c) mended: the creator holds a lock from before the thread
 * starts until its handle is stored, and the thread passes through the lock before it uses the handle.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;
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

	pthread_mutex_lock(&creation);
	mine = handle;
	pthread_mutex_unlock(&creation);
	assert(mine != 0);
	state = mine;
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&creation);
	pthread_create(&t, 0, run, 0);
	handle = fresh_handle();
	pthread_mutex_unlock(&creation);
	pthread_join(t, 0);
	return 0;
}
