// deadlock
#include <pthread.h>

pthread_barrier_t gate;

void *work(void *arg)
{
	pthread_barrier_wait(&gate);
	return 0;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_barrier_init(&gate, 0, 2);
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_create(&c, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	return 0;
}
