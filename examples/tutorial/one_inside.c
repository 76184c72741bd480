/* Any number of visitors, at most one of them inside. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int inside;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *visitor(void *arg)
{
	pthread_mutex_lock(&m);
	inside++;
	assert(inside == 1);
	inside--;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, visitor, 0);
	return 0;
}
