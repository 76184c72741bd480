/* A trylock that gives 0 has the lock. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *first(void *arg)
{
	if (pthread_mutex_trylock(&m) == 0) {
		inside = 1;
		assert(inside == 1);
		inside = 0;
		pthread_mutex_unlock(&m);
	}
	return 0;
}

void *second(void *arg)
{
	pthread_mutex_lock(&m);
	inside = 2;
	inside = 0;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
