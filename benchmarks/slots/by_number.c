/*
 * Each thread has a number, writes the slot of that number and finds there what it wrote. CLASH: every second one has the number of the
 * one before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define MOST 100

#ifdef CLASH
#define NUMBER(k) ((k) / 2)
#else
#define NUMBER(k) (k)
#endif

int slot[MOST];

void *work(void *number)
{
	long i = (long)number;
	int mine = __VERIFIER_nondet_int();
	slot[i] = mine;
	assert(slot[i] == mine);
	return 0;
}

int main(void)
{
	pthread_t handle;
	int n = __VERIFIER_nondet_int();
	if (n < 0 || n > MOST)
		return 0;
	for (long k = 0; k < n; k++)
		pthread_create(&handle, 0, work, (void *)NUMBER(k));
	return 0;
}
