/*
 * As many threads as are asked for add to a sum under its lock; their handles are in memory of that size. Once all have been waited
 * for, the sum is read without the lock. EARLY: the last one is not waited for.
 */
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *adder(void *unused)
{
	pthread_mutex_lock(&lock);
	sum = sum + 1;
	pthread_mutex_unlock(&lock);
	return 0;
}

int main(void)
{
	int n = __VERIFIER_nondet_int();
	if (n < 0)
		return 0;
	pthread_t *handles = malloc(n * sizeof(pthread_t));
	for (int k = 0; k < n; k++)
		pthread_create(&handles[k], 0, adder, 0);
#ifdef EARLY
	for (int k = 0; k < n - 1; k++)
#else
	for (int k = 0; k < n; k++)
#endif
		pthread_join(handles[k], 0);
	return sum;
}
