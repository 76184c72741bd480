/*
 * The Bluetooth driver of "KISS" (Qadeer and Wu, PLDI 2004) as Ben Rajeb, Nasraoui, Robbana and Touili have it
 * (ENTCS 239, 2009): operations arrive without end, each a thread of its own. An operation looks whether the driver
 * is stopping before it counts itself in, and the driver may stop in between.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int stopping, drained, stopped;
int pending = 1; /* operations under way, and one for the driver */

static int enter(void)
{
	if (stopping)
		return 0;
	__VERIFIER_atomic_begin();
	pending++;
	__VERIFIER_atomic_end();
	return 1;
}

static void leave(void)
{
	int left;

	__VERIFIER_atomic_begin();
	left = --pending;
	__VERIFIER_atomic_end();
	if (left == 0)
		drained = 1;
}

void *operation(void *unused)
{
	if (enter()) {
		assert(!stopped);
		leave();
	}
	return 0;
}

void *stop(void *unused)
{
	stopping = 1;
	leave();
	__VERIFIER_assume(drained);
	stopped = 1;
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, stop, 0);
	while (1)
		pthread_create(&t, 0, operation, 0);
}
