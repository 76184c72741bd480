/* Variables have the values that they start with. */
#include <assert.h>
#include <pthread.h>

int limit = 3, count = 3;

void *first(void *arg)
{
	if (count < limit)
		count = count + 1;
	return 0;
}

void *second(void *arg)
{
	if (limit < 3)
		limit = limit + 1;
	assert(limit + count <= 5);
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
