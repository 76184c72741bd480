/*
 * Two threads add to each other's number, N times each. The largest number comes from taking turns; it is reached,
 * and no more than it: MOST is the largest value, which the assertion allows or not.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifndef N
#define N 5
#endif
#ifndef LIMIT
#define LIMIT 144
#endif

int here = 1, there = 1;

void *left(void *unused)
{
	for (int k = 0; k < N; k++) {
		__VERIFIER_atomic_begin();
		here += there;
		__VERIFIER_atomic_end();
	}
	return 0;
}

void *right(void *unused)
{
	for (int k = 0; k < N; k++) {
		__VERIFIER_atomic_begin();
		there += here;
		__VERIFIER_atomic_end();
	}
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, left, 0);
	pthread_create(&b, 0, right, 0);
	int l = here;
	assert(l <= LIMIT);
	int r = there;
	assert(r <= LIMIT);
	return 0;
}
