/*
 * Two counters, each with a mutex of its own. A dispatcher says which one is open; a clerk asks once and then goes to
 * that counter.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
unsigned done_first, done_second;
int at_second; /* the second counter is open, not the first */

static void serve(pthread_mutex_t *guard, unsigned *done)
{
	unsigned before;

	pthread_mutex_lock(guard);
	before = *done;
	*done = before + 1;
	assert(*done == before + 1);
	pthread_mutex_unlock(guard);
}

void *clerk(void *unused)
{
	if (at_second)
		serve(&second, &done_second);
	else
		serve(&first, &done_first);
	return 0;
}

void *dispatcher(void *unused)
{
	at_second = __VERIFIER_nondet_int() != 0;
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, clerk, 0);
		else
			pthread_create(&t, 0, dispatcher, 0);
	}
}
