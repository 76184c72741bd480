/*
 * How a Bluetooth driver stops (Qadeer and Wu, PLDI 2004), mended: an operation that was turned away is counted
 * out once. One operation and one stop.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int stopping;       /* the driver was told to stop */
int drained;        /* event: no operation is under way any more */
int stopped;        /* the driver's resources are gone */
int under_way = 1;  /* operations under way, and one for the driver itself */

static void one_more(void)
{
	__VERIFIER_atomic_begin();
	under_way = under_way + 1;
	__VERIFIER_atomic_end();
}

/* Counts an operation out; the last one sets the event. */
static void count_out(void)
{
	int left;

	__VERIFIER_atomic_begin();
	under_way = under_way - 1;
	left = under_way;
	__VERIFIER_atomic_end();
	if (left == 0)
		drained = 1;
}

/* Counts an operation in: 0 when it may go ahead, -1 when the driver is about to stop. */
static int count_in(void)
{
	one_more();
	if (stopping != 0) {
		count_out();
		return -1;
	}
	return 0;
}

void *operation(void *arg)
{
	int status;

	status = count_in();
	if (status == 0) {
		assert(stopped == 0);
		count_out();
	}
	return 0;
}

void *stop(void *arg)
{
	stopping = 1;
	count_out();
	__VERIFIER_assume(drained != 0);
	stopped = 1;
	return 0;
}

int main(void)
{
	pthread_t a, s;

	pthread_create(&a, 0, operation, 0);
	pthread_create(&s, 0, stop, 0);
	pthread_join(a, 0);
	pthread_join(s, 0);
	return 0;
}
