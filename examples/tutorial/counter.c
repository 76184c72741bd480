/* Two threads count visitors. */
#include <assert.h>
#include <pthread.h>

int visitors;

void *door(void *arg)
{
	visitors++;
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
