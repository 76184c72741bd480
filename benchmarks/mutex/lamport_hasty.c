/*
 * Lamport's fast mutual exclusion where the slow path looks at the gate without first waiting for the other
 * thread to settle: the other may be on the fast path, past its last check.
 */
#include <assert.h>
#include <pthread.h>

int trying1, trying2;
int x, y;
int visitor;

void *one(void *arg)
{
	while (1) {
start:
		trying1 = 1;
		x = 1;
		if (y != 0) {
			trying1 = 0;
			while (y != 0)
				;
			goto start;
		}
		y = 1;
		if (x != 1) {
			trying1 = 0;
			if (y != 1) {
				while (y != 0)
					;
				goto start;
			}
		}
		visitor = 0;
		assert(visitor <= 0);
		y = 0;
		trying1 = 0;
	}
}

void *two(void *arg)
{
	while (1) {
start:
		trying2 = 1;
		x = 2;
		if (y != 0) {
			trying2 = 0;
			while (y != 0)
				;
			goto start;
		}
		y = 2;
		if (x != 2) {
			trying2 = 0;
			if (y != 2) {
				while (y != 0)
					;
				goto start;
			}
		}
		visitor = 1;
		assert(visitor >= 1);
		y = 0;
		trying2 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
