/*
 * An exchange office: any number of clerks change seven of one coin for five of the other, and back. What there is in all has one value, so
 * that there are never more than 2400 of the first coin.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int copper = 1000, silver = 1000;

void *buyer(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		if (silver >= 5) {
			silver = silver - 5;
			copper = copper + 7;
		}
		pthread_mutex_unlock(&m);
	}
}

void *seller(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		if (copper >= 7) {
			copper = copper - 7;
			silver = silver + 5;
		}
		pthread_mutex_unlock(&m);
	}
}

void *auditor(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		assert(copper <= 2400);
		pthread_mutex_unlock(&m);
	}
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, auditor, 0);
	for (;;) {
		pthread_create(&t, 0, buyer, 0);
		pthread_create(&t, 0, seller, 0);
	}
}
