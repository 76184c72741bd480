// One adds the numbers from 1 to n, the other from n to 1: the sums are the same. With EARLY the second one stops at 2.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifdef EARLY
#define LAST 2
#else
#define LAST 1
#endif

int n, up, down;

void *climbs(void *unused)
{
	for (int k = 1; k <= n; k++)
		up = up + k;
	return 0;
}

void *comes_down(void *unused)
{
	for (int k = n; k >= LAST; k--)
		down = down + k;
	return 0;
}

int main(void)
{
	n = __VERIFIER_nondet_int();
	if (n < 0 || n > 1000)
		return 0;
	pthread_t a, b;
	pthread_create(&a, 0, climbs, 0);
	pthread_create(&b, 0, comes_down, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(up == down);
	return 0;
}
