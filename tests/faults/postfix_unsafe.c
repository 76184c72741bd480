/* The counter is 1 when the first ticket is drawn. */
#include <assert.h>
#include <pthread.h>

int next, drawn;

void *first(void *arg)
{
	int mine = next++;

	drawn = mine;
	return 0;
}

void *second(void *arg)
{
	assert(next == 0);
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
