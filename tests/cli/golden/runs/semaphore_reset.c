// deadlock
#include <pthread.h>
#include <semaphore.h>

sem_t done;

void *work(void *arg)
{
	sem_post(&done);
	return 0;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, 0, work, 0);
	sem_init(&done, 0, 0);
	sem_wait(&done);
	pthread_join(worker, 0);
	return 0;
}
