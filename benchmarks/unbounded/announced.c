/*
 * Each of the threads that a loop makes first announces itself and then starts: never have more started than announced.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int announced;
int started;

void *worker(void *arg)
{
	__VERIFIER_atomic_begin();
	announced = announced + 1;
	__VERIFIER_atomic_end();
	__VERIFIER_atomic_begin();
	started = started + 1;
	assert(started <= announced);
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, worker, 0);
	return 0;
}
