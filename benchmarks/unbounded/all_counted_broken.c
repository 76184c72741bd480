/*
 * As many workers as an input says, each adds two to a sum: the sum may be above their number.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int wanted; /* workers that are made */
int done;   /* workers that have added */

void *worker(void *arg)
{
	__VERIFIER_atomic_begin();
	done = done + 2;
	__VERIFIER_atomic_end();
	assert(done <= wanted);
	return 0;
}

int main(void)
{
	pthread_t t;
	int i;

	wanted = __VERIFIER_nondet_int();
	for (i = 0; i < wanted; i++)
		pthread_create(&t, 0, worker, 0);
	return 0;
}
