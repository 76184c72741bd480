/* More states than anybody has time for, and no short proof: two threads add to each other's number. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

long a = 1, b = 1;

void *left(void *unused)
{
	for (int k = 0; k < 30; k++) {
		__VERIFIER_atomic_begin();
		a += b;
		__VERIFIER_atomic_end();
	}
	return 0;
}

void *right(void *unused)
{
	for (int k = 0; k < 30; k++) {
		__VERIFIER_atomic_begin();
		b += a;
		assert(a % 2 != 0 || b % 2 != 0); /* they have no common divisor */
		__VERIFIER_atomic_end();
	}
	return 0;
}

int main(void)
{
	pthread_t l, r;

	pthread_create(&l, 0, left, 0);
	pthread_create(&r, 0, right, 0);
	return 0;
}
