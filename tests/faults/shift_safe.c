/* A shift has the type of what is shifted. */
#include <assert.h>
#include <pthread.h>

int level = -4, known;

void *first(void *arg)
{
	level = -8;
	known = 1;
	return 0;
}

void *second(void *arg)
{
	if (known == 1)
		assert(level >> 1u < 0);
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
