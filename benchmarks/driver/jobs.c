/*
 * A worker goes through 400 jobs and counts what it has done; a watcher never sees more.
 */
#include <assert.h>
#include <pthread.h>

int done; /* jobs that are finished */

void *worker(void *arg)
{
	int i;

	for (i = 0; i < 400; i++)
		done = done + 1;
	assert(done == 400);
	return 0;
}

void *watcher(void *arg)
{
	for (;;)
		assert(done <= 400);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, watcher, 0);
	return 0;
}
