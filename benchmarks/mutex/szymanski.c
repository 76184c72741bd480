/*
 * Szymanski's algorithm with linear wait (ICS 1988), two threads.
 * A thread's flag says how far it has come: 0 outside, 1 wants in, 2 waits for others in the waiting room,
 * 3 stands in the doorway, 4 the door behind it is closed.
 */
#include <assert.h>
#include <pthread.h>

int flag0, flag1;
int visitor; /* data that the critical section protects */

void *low(void *arg)
{
	int seen;

	while (1) {
		flag0 = 1;
		while (flag1 >= 3)
			;
		flag0 = 3;
		if (flag1 == 1) {
			flag0 = 2;
			while (flag1 != 4)
				;
		}
		flag0 = 4;
		/* nobody has a lower number */
		visitor = 0;
		assert(visitor <= 0);
		/* those with a higher number must have left the doorway */
		do {
			seen = flag1;
		} while (seen == 2 || seen == 3);
		flag0 = 0;
	}
}

void *high(void *arg)
{
	while (1) {
		flag1 = 1;
		while (flag0 >= 3)
			;
		flag1 = 3;
		if (flag0 == 1) {
			flag1 = 2;
			while (flag0 != 4)
				;
		}
		flag1 = 4;
		/* those with a lower number go first */
		while (flag0 >= 2)
			;
		visitor = 1;
		assert(visitor >= 1);
		flag1 = 0;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, low, 0);
	pthread_create(&b, 0, high, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
