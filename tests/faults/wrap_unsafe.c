/* An unsigned number below zero is a large one. */
#include <assert.h>
#include <pthread.h>

unsigned room; /* what is left */
int taken;

void *first(void *arg)
{
	if (room - 1 > 8)
		taken = 1;
	return 0;
}

void *second(void *arg)
{
	assert(taken == 0);
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
