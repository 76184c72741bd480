/*
 * A thread descends by recursion and stops where it likes; another one sets a mark on the way. The assertion fails
 * for descents of DEPTH activations only.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef DEPTH
#define DEPTH 20
#endif

int mark;

static int descend(int at)
{
	if (mark && __VERIFIER_nondet_int())
		return at;
	return descend(at + 1) + 0 * at;
}

void *diver(void *unused)
{
	int reached = descend(1);

	assert(reached != DEPTH);
	return 0;
}

void *marker(void *unused)
{
	mark = 1;
	return 0;
}

int main(void)
{
	pthread_t d, m;

	pthread_create(&d, 0, diver, 0);
	pthread_create(&m, 0, marker, 0);
	return 0;
}
