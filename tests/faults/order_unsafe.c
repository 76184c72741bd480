/* What is done was begun, but not for who looks at the beginning first. */
#include <assert.h>
#include <pthread.h>

int begun, done;

void *first(void *arg)
{
	begun = 1;
	done = 1;
	return 0;
}

void *second(void *arg)
{
	int d, b;

	b = begun, d = done;
	assert(d <= b);
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
