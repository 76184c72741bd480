/*
 * Spin lock for any number of threads. The lock word is the holder's handle, 0 when nobody holds it.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

pthread_t holder;
int inside; /* number of threads in the critical section */

static int try_acquire(void)
{
	int got = 0;

	__VERIFIER_atomic_begin();
	if (holder == 0) {
		holder = pthread_self();
		got = 1;
	}
	__VERIFIER_atomic_end();
	return got;
}

void *client(void *arg)
{
	while (!try_acquire())
		;
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	holder = 0;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, client, 0);
	return 0;
}
