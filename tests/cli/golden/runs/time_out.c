// assertions
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int done;

void *work(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t worker;
	struct timespec until = {1, 0};
	int late = 0;

	pthread_create(&worker, 0, work, 0);
	pthread_mutex_lock(&m);
	while (!done && !late)
		late = pthread_cond_timedwait(&ready, &m, &until);
	assert(done);
	pthread_mutex_unlock(&m);
	return 0;
}
