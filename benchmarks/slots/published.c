/*
 * The threads that wait in memory of unknown size look at a value once it is published under the lock. EAGER: they do not look whether
 * it is.
 */
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int published, value;

void *reader(void *unused)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = published;
	pthread_mutex_unlock(&lock);
#ifdef EAGER
	seen = 1;
#endif
	return (void *)(long)(seen ? value : 0);
}

int main(void)
{
	int n = __VERIFIER_nondet_int();
	if (n < 0)
		return 0;
	pthread_t *handles = malloc(n * sizeof(pthread_t));
	for (int k = 0; k < n; k++)
		pthread_create(&handles[k], 0, reader, 0);
	value = 7;
	pthread_mutex_lock(&lock);
	published = 1;
	pthread_mutex_unlock(&lock);
	return 0;
}
