/* Two reads of a number that only grows. */
#include <assert.h>
#include <pthread.h>

int x;

void *first(void *arg)
{
	x = 1;
	return 0;
}

void *second(void *arg)
{
	int a, b;

	a = x;
	b = x;
	assert(a <= b);
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
