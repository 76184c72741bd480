/* A counter that one thread guards with a lock and the other one does not. */
#include <assert.h>
#include <pthread.h>

#define ROUNDS 6

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;
int batches;

void *careful(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < ROUNDS; i++)
		batches = batches + 1;
	total = total + batches;
	pthread_mutex_unlock(&lock);
	return 0;
}

void *hasty(void *arg)
{
	int seen = total;

	total = seen + 1;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, careful, 0);
	pthread_create(&b, 0, hasty, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(total == ROUNDS + 1);
	return 0;
}
