/*
 * Dekker's algorithm where a thread that waited for its turn does not look at the other's request again.
 * The other may have come back by then.
 */
#include <assert.h>
#include <pthread.h>

int want0, want1;
int turn;
int visitor;

void *left(void *arg)
{
	while (1) {
		want0 = 1;
		if (want1 == 1) {
			if (turn != 0) {
				want0 = 0;
				while (turn != 0)
					;
				want0 = 1;
			} else {
				while (want1 == 1)
					;
			}
		}
		visitor = 0;
		assert(visitor <= 0);
		turn = 1;
		want0 = 0;
	}
}

void *right(void *arg)
{
	while (1) {
		want1 = 1;
		if (want0 == 1) {
			if (turn != 1) {
				want1 = 0;
				while (turn != 1)
					;
				want1 = 1;
			} else {
				while (want0 == 1)
					;
			}
		}
		visitor = 1;
		assert(visitor >= 1);
		turn = 0;
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
