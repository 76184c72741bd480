/*
 * QRCU (McKenney, "Using Promela and Spin to verify parallel algorithms", LWN 2007): read-copy update whose
 * readers never wait. The updater must not go ahead while a reader is inside that was there when it began.
 * Two readers and the updater.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

pthread_mutex_t updating = PTHREAD_MUTEX_INITIALIZER;
int current;    /* counter that new readers use, 0 or 1 */
int count0 = 1; /* readers on each counter, and one for being the current counter */
int count1;
int progress_a; /* of each reader: 0 before, 1 inside, 2 after */
int progress_b;

/* Adds to a counter, unless it is zero; says whether it did. */
static int enter(int which)
{
	int done = 0;

	__VERIFIER_atomic_begin();
	if (which == 0) {
		if (count0 > 0) {
			count0 = count0 + 1;
			done = 1;
		}
	} else {
		if (count1 > 0) {
			count1 = count1 + 1;
			done = 1;
		}
	}
	__VERIFIER_atomic_end();
	return done;
}

static void leave(int which)
{
	__VERIFIER_atomic_begin();
	if (which == 0)
		count0 = count0 - 1;
	else
		count1 = count1 - 1;
	__VERIFIER_atomic_end();
}

static void add0(int n)
{
	__VERIFIER_atomic_begin();
	count0 = count0 + n;
	__VERIFIER_atomic_end();
}

static void add1(int n)
{
	__VERIFIER_atomic_begin();
	count1 = count1 + n;
	__VERIFIER_atomic_end();
}

/* Sum of both counters, read one after the other in either order. */
static int total(void)
{
	int sum;

	if (__VERIFIER_nondet_int()) {
		sum = count0;
		sum = sum + count1;
	} else {
		sum = count1;
		sum = sum + count0;
	}
	return sum;
}

/* Waits until all readers that are inside now have left. */
static void synchronize(void)
{
	int sum;

	sum = total();
	if (sum <= 1)
		sum = total();
	if (sum > 1) {
		pthread_mutex_lock(&updating);
		if (current == 0) {
			add1(1);
			current = 1;
			add0(-1);
			while (count0 > 0)
				;
		} else {
			add0(1);
			current = 0;
			add1(-1);
			while (count1 > 0)
				;
		}
		pthread_mutex_unlock(&updating);
	}
}

void *reader_a(void *arg)
{
	int which;

	do {
		which = current;
	} while (!enter(which));
	progress_a = 1;
	progress_a = 2;
	leave(which);
	return 0;
}

void *reader_b(void *arg)
{
	int which;

	do {
		which = current;
	} while (!enter(which));
	progress_b = 1;
	progress_b = 2;
	leave(which);
	return 0;
}

void *updater(void *arg)
{
	int before_a, before_b;

	before_a = progress_a;
	before_b = progress_b;
	synchronize();
	if (before_a == 1)
		assert(progress_a != 1);
	if (before_b == 1)
		assert(progress_b != 1);
	return 0;
}

int main(void)
{
	pthread_t a, b, u;

	pthread_create(&a, 0, reader_a, 0);
	pthread_create(&b, 0, reader_b, 0);
	pthread_create(&u, 0, updater, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(u, 0);
	return 0;
}
