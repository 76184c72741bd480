/*
 * Two mutexes for one number: who changes it holds both, who reads it holds one of them, whichever.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
unsigned number;

static void look(void)
{
	unsigned seen;

	seen = number;
	assert(number == seen);
}

void *writer(void *unused)
{
	pthread_mutex_lock(&left);
	pthread_mutex_lock(&right);
	number = number + 1;
	pthread_mutex_unlock(&right);
	pthread_mutex_unlock(&left);
	return 0;
}

void *reader(void *unused)
{
	if (__VERIFIER_nondet_int()) {
		pthread_mutex_lock(&left);
		look();
		pthread_mutex_unlock(&left);
	} else {
		pthread_mutex_lock(&right);
		look();
		pthread_mutex_unlock(&right);
	}
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, writer, 0);
		else
			pthread_create(&t, 0, reader, 0);
	}
}
