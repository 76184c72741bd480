// valid-memsafety
#include <pthread.h>

int slots[2], used;

void *put(void *arg)
{
	if (used < 2)
		slots[used++] = 1;
	return 0;
}

int main(void)
{
	pthread_t t1, t2;

	used = 1;
	pthread_create(&t1, 0, put, 0);
	pthread_create(&t2, 0, put, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	return 0;
}
