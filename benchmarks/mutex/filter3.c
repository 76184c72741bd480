/*
 * Peterson's algorithm for three threads, the filter lock: two floors to climb, and each floor holds back the
 * last one that came to it for as long as somebody else is there or higher.
 */
#include <assert.h>
#include <pthread.h>

int floor0, floor1, floor2; /* how high each thread has climbed, 0 outside */
int last1, last2;           /* who came last to floor 1 and to floor 2 */
int visitor;                /* data that the critical section protects */

void *zero(void *arg)
{
	while (1) {
		floor0 = 1;
		last1 = 0;
		while (last1 == 0 && (floor1 >= 1 || floor2 >= 1))
			;
		floor0 = 2;
		last2 = 0;
		while (last2 == 0 && (floor1 >= 2 || floor2 >= 2))
			;
		visitor = 0;
		assert(visitor == 0);
		floor0 = 0;
	}
}

void *one(void *arg)
{
	while (1) {
		floor1 = 1;
		last1 = 1;
		while (last1 == 1 && (floor0 >= 1 || floor2 >= 1))
			;
		floor1 = 2;
		last2 = 1;
		while (last2 == 1 && (floor0 >= 2 || floor2 >= 2))
			;
		visitor = 1;
		assert(visitor == 1);
		floor1 = 0;
	}
}

void *two(void *arg)
{
	while (1) {
		floor2 = 1;
		last1 = 2;
		while (last1 == 2 && (floor0 >= 1 || floor1 >= 1))
			;
		floor2 = 2;
		last2 = 2;
		while (last2 == 2 && (floor0 >= 2 || floor1 >= 2))
			;
		visitor = 2;
		assert(visitor == 2);
		floor2 = 0;
	}
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, 0, zero, 0);
	pthread_create(&b, 0, one, 0);
	pthread_create(&c, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	return 0;
}
