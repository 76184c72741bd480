/*
 * Peterson's algorithm with its first two writes the wrong way round: each thread yields before it asks,
 * so one can slip in while the other has yielded but not yet asked.
 */
#include <assert.h>
#include <pthread.h>

int want0, want1;
int turn;
int visitor;

void *left(void *arg)
{
	while (1) {
		turn = 1;
		want0 = 1;
		while (want1 == 1 && turn == 1)
			;
		visitor = 0;
		assert(visitor <= 0);
		want0 = 0;
	}
}

void *right(void *arg)
{
	while (1) {
		turn = 0;
		want1 = 1;
		while (want0 == 1 && turn == 0)
			;
		visitor = 1;
		assert(visitor >= 1);
		want1 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, left, 0);
	pthread_create(&b, 0, right, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
