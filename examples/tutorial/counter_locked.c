/* Two threads count visitors, one after the other. */
#include <assert.h>
#include <pthread.h>

int visitors;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *door(void *arg)
{
	pthread_mutex_lock(&m);
	visitors++;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t left, right;

	pthread_create(&left, 0, door, 0);
	pthread_create(&right, 0, door, 0);
	pthread_join(left, 0);
	pthread_join(right, 0);
	assert(visitors == 2);
	return 0;
}
