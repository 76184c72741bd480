/*
 * The filter lock (Peterson's algorithm for n threads) for four: three floors to climb, and each floor holds back
 * the last one that came to it for as long as somebody else is there or higher.
 */
#include <assert.h>
#include <pthread.h>

int floor0, floor1, floor2, floor3; /* how high each thread has climbed, 0 outside */
int last1, last2, last3;            /* who came last to each floor */
int visitor;                        /* data that the critical section protects */

#define CLIMB(me, mine, a, b, c, f, last)                                                                      \
	mine = f;                                                                                              \
	last = me;                                                                                             \
	while (last == me && (a >= f || b >= f || c >= f))                                                     \
		;

#define THREAD(name, me, mine, a, b, c)                                                                        \
	void *name(void *unused)                                                                               \
	{                                                                                                      \
		while (1) {                                                                                    \
			CLIMB(me, mine, a, b, c, 1, last1)                                                     \
			CLIMB(me, mine, a, b, c, 2, last2)                                                     \
			CLIMB(me, mine, a, b, c, 3, last3)                                                     \
			visitor = me;                                                                          \
			assert(visitor == me);                                                                 \
			mine = 0;                                                                              \
		}                                                                                              \
	}

THREAD(zero, 0, floor0, floor1, floor2, floor3)
THREAD(one, 1, floor1, floor0, floor2, floor3)
THREAD(two, 2, floor2, floor0, floor1, floor3)
THREAD(three, 3, floor3, floor0, floor1, floor2)

int main(void)
{
	pthread_t a, b, c, d;

	pthread_create(&a, 0, zero, 0);
	pthread_create(&b, 0, one, 0);
	pthread_create(&c, 0, two, 0);
	pthread_create(&d, 0, three, 0);
	pthread_exit(0);
}
