// assumes: a normal mutex or a spin lock is unlocked only by the thread that holds it
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;

void *other(void *arg)
{
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, 0, other, 0);
	n = 1;
	pthread_mutex_unlock(&m);
	assert(n == 0);
	return 0;
}
