/*
 * Spin lock that tests and sets in two steps.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_t holder;
int inside;

void *client(void *arg)
{
	while (holder != 0)
		;
	holder = pthread_self();
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	holder = 0;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, client, 0);
	return 0;
}
