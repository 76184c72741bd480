/*
 * LockBitCnt (GPR, figure 12): LockBit with a local counter that has no bearing on the property.
 * Run with --exclusive critical.
 */
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int lock;

static void take_lock(void)
{
	__VERIFIER_atomic_begin();
	__VERIFIER_assume(lock == 0);
	lock = 1;
	__VERIFIER_atomic_end();
}

void *one(void *arg)
{
	int cnt = 0;

	cnt = cnt + 1;
	__VERIFIER_assume(cnt >= 1);
	take_lock();
critical:
	return 0;
}

void *two(void *arg)
{
	take_lock();
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
