/*
 * As mutex_many.c, but the auditor counts without the mutex.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
int checking = 60, savings = 40;

void *clerk(void *arg)
{
	pthread_mutex_lock(&bank);
	if (checking >= 10) {
		checking = checking - 10;
		savings = savings + 10;
	}
	pthread_mutex_unlock(&bank);
	return 0;
}

void *auditor(void *arg)
{
	int total;

	total = checking + savings;
	assert(total == 100);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, clerk, 0);
		else
			pthread_create(&t, 0, auditor, 0);
	}
}
