/*
 * LockId (GPR, figure 3): the lock says who holds it, and a modular proof is enough.
 * Run with --exclusive critical.
 */
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int lock;

static void take_lock(int who)
{
	__VERIFIER_atomic_begin();
	__VERIFIER_assume(lock == 0);
	lock = who;
	__VERIFIER_atomic_end();
}

void *one(void *arg)
{
	take_lock(1);
critical:
	return 0;
}

void *two(void *arg)
{
	take_lock(2);
critical:
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
