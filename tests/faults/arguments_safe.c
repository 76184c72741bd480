/* Arguments are the parameters in their order. */
#include <assert.h>
#include <pthread.h>

int low, high;

static void keep(int from, int to)
{
	low = from;
	high = to;
}

void *first(void *arg)
{
	keep(1, 5);
	return 0;
}

void *second(void *arg)
{
	assert(high == 0 || high > low);
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
