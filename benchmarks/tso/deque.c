/*
 * The THE protocol of Cilk's deque (Frigo, Leiserson, Randall, PLDI 1998) on x86. The owner takes from the tail without a
 * lock, thieves from the head with it. Without a fence after the tail is moved both take the last element.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif
#define ELEMENTS 2

volatile int head, tail = ELEMENTS;
int taken[ELEMENTS];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void take(int k)
{
	assert(__sync_fetch_and_add(&taken[k], 1) == 0);
}

void *owner(void *arg)
{
	for (int k = 0; k < ELEMENTS; k++) {
		int t = tail - 1;

		tail = t;
		FENCE();
		if (head > t) {
			tail = t + 1;
			pthread_mutex_lock(&lock);
			tail = t;
			if (head > t) {
				tail = t + 1;
				pthread_mutex_unlock(&lock);
				return 0;
			}
			pthread_mutex_unlock(&lock);
		}
		take(t);
	}
	return 0;
}

void *thief(void *arg)
{
	for (int k = 0; k < ELEMENTS; k++) {
		pthread_mutex_lock(&lock);
		int h = head;

		head = h + 1;
		FENCE();
		if (h + 1 > tail) {
			head = h;
			pthread_mutex_unlock(&lock);
			return 0;
		}
		pthread_mutex_unlock(&lock);
		take(h);
	}
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, owner, 0);
	pthread_create(&b, 0, thief, 0);
	return 0;
}
