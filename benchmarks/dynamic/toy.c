/*
 * A toy with loops, calls and recursion: two threads each climb and come back, and add what they found to a sum.
 */
#include <assert.h>
#include <pthread.h>

int sum;

static int climb(int height)
{
	int below;

	if (height == 0)
		return 0;
	below = climb(height - 1);
	return below + 1;
}

void *climber(void *unused)
{
	int i, found = 0;

	for (i = 0; i < 3; i++)
		found = climb(i + found);
	sum = sum + found;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, climber, 0);
	pthread_create(&b, 0, climber, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(sum == 6); /* 3, when an addition is lost */
	return 0;
}
