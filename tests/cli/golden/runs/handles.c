// assertions
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int n;

void *work(void *arg)
{
	int seen = n;

	n = seen
	    + 1; // lost
	return 0;
}

int main(void)
{
	pthread_t *threads = malloc(2 * sizeof(pthread_t));
	void *(*routine)(void *) = work;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0,
			       routine,
			       0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	assert(n == 2 &&
	       "both were counted");
	return 0;
}
