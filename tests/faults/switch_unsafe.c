/* A case goes on into the next one. */
#include <assert.h>
#include <pthread.h>

int step, seen;

void *first(void *arg)
{
	switch (step) {
	case 0:
		seen = 1;
	case 1:
		seen = 2;
		break;
	default:
		seen = 3;
	}
	return 0;
}

void *second(void *arg)
{
	assert(seen <= 1);
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
