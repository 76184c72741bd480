/*
 * The second version of the Bluetooth driver: an operation counts itself in first and then looks whether the driver
 * is stopping. One that comes too late counts itself out again, and so may be the one that reports the driver
 * drained, while another has only looked: with two operations the driver stops under the second.
 * (Found by Chaki, Clarke, Kidd, Reps and Touili, TACAS 2006; any number of operations, as in ENTCS 239, 2009.)
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

int stopping, drained, stopped;
int pending = 1;

static void leave(void)
{
	int left;

	__VERIFIER_atomic_begin();
	left = --pending;
	__VERIFIER_atomic_end();
	if (left == 0)
		drained = 1;
}

/* The driver is told that an operation is on its way even when it is turned back. */
static int enter(void)
{
	__VERIFIER_atomic_begin();
	pending++;
	__VERIFIER_atomic_end();
	if (stopping) {
		leave();
		return 0;
	}
	return 1;
}

void *operation(void *unused)
{
	if (enter())
		assert(!stopped);
	leave();
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
