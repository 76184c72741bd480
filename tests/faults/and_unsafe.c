/* What is behind && is done where the first operand is true. */
#include <assert.h>
#include <pthread.h>

int ready, tried;

void *first(void *arg)
{
	if (ready == 1 && ++tried > 0)
		ready = 2;
	return 0;
}

void *second(void *arg)
{
	ready = 1;
	assert(tried == 0);
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
