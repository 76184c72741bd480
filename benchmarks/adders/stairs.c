/*
 * Each of two threads puts its number one above the other's, N times, in two steps. The number can't pass LIMIT.
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 10
#endif
#ifndef LIMIT
#define LIMIT 2 * N
#endif

int low, high;

void *lower(void *unused)
{
	for (int k = 0; k < N; k++)
		low = high + 1;
	return 0;
}

void *upper(void *unused)
{
	for (int k = 0; k < N; k++)
		high = low + 1;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, lower, 0);
	pthread_create(&b, 0, upper, 0);
	assert(low <= LIMIT && high <= LIMIT);
	return 0;
}
