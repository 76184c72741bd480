/*
 * A counter under a mutex, for any number of threads: nobody moves it between a thread's write and its second look.
 */
#include <assert.h>
#include <pthread.h>

#define LIMIT 1000

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
unsigned served;

void *client(void *unused)
{
	unsigned before;

	pthread_mutex_lock(&guard);
	before = served;
	if (before < LIMIT) {
		served = before + 1;
		assert(served == before + 1);
	}
	pthread_mutex_unlock(&guard);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1)
		pthread_create(&t, 0, client, 0);
}
