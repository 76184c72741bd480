/* Bytes are added as integers: the sum does not wrap. */
#include <assert.h>
#include <pthread.h>

unsigned char low, high, known;

void *first(void *arg)
{
	high = 200;
	low = 100;
	known = 1;
	return 0;
}

void *second(void *arg)
{
	int sum;

	if (known == 1) {
		sum = high + low;
		assert(sum >= 256);
	}
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
