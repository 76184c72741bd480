// no-data-race
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;

void *add(void *arg)
{
	pthread_mutex_lock(&m);
	total += 2;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t adder;

	pthread_create(&adder, 0, add, 0);
	int seen = total;
	pthread_join(adder, 0);
	return seen;
}
