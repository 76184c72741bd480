/* A break leaves the inner loop only. */
#include <assert.h>
#include <pthread.h>

int rounds, done;

void *first(void *arg)
{
	int i, j;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < 2; j++) {
			if (j == 1)
				break;
			done = 1;
		}
		rounds = i + 1;
	}
	return 0;
}

void *second(void *arg)
{
	assert(rounds <= 1);
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
