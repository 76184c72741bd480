// no-overflow
#include <limits.h>
#include <pthread.h>

int level = INT_MAX - 1;

void *raise_level(void *arg)
{
	if (level < INT_MAX)
		level++;
	return 0;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, 0, raise_level, 0);
	pthread_create(&t2, 0, raise_level, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	return 0;
}
