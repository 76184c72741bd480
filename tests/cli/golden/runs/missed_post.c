// deadlock
#include <pthread.h>
#include <semaphore.h>

sem_t ready;
int waiting;

void *serve(void *arg)
{
	if (waiting)
		sem_post(&ready);
	return 0;
}

int main(void)
{
	pthread_t server;

	sem_init(&ready, 0, 0);
	pthread_create(&server, 0, serve, 0);
	waiting = 1;
	sem_wait(&ready);
	pthread_join(server, 0);
	return 0;
}
