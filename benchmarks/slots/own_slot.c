/*
 * Each thread writes the slot whose address it is given, in memory for as many slots as there are threads, and the block is given
 * back once all have been waited for. SHARED: two threads have each slot.
 */
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifdef SHARED
#define SLOT(k) ((k) / 2)
#else
#define SLOT(k) (k)
#endif

void *fill(void *slot)
{
	*(int *)slot = __VERIFIER_nondet_int();
	return 0;
}

int main(void)
{
	int n = __VERIFIER_nondet_int();
	if (n < 0)
		return 0;
	pthread_t *handles = malloc(n * sizeof(pthread_t));
	int *slots = malloc(n * sizeof(int));
	for (int k = 0; k < n; k++)
		pthread_create(&handles[k], 0, fill, &slots[SLOT(k)]);
	for (int k = 0; k < n; k++)
		pthread_join(handles[k], 0);
	free(slots);
	return 0;
}
