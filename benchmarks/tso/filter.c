/*
 * Peterson's filter lock for three threads on x86: a fence at each level.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif
#define N 3

volatile int level[N]; /* how far a thread has come */
volatile int last[N];  /* who came last to a level */
volatile int visitor;

int higher(int me, int l)
{
	for (int k = 0; k < N; k++)
		if (k != me && level[k] >= l)
			return 1;
	return 0;
}

void *guest(void *arg)
{
	int me = (int)(long)arg;

	for (int l = 1; l < N; l++) {
		level[me] = l;
		last[l] = me;
		FENCE();
		while (last[l] == me && higher(me, l))
			;
	}
	visitor = me;
	assert(visitor == me);
	level[me] = 0;
	return 0;
}

int main(void)
{
	pthread_t t[N];

	pthread_create(&t[0], 0, guest, (void *)0);
	pthread_create(&t[1], 0, guest, (void *)1);
	pthread_create(&t[2], 0, guest, (void *)2);
	return 0;
}
