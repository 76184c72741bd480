// deadlock
#include <pthread.h>
#include <semaphore.h>

sem_t fork_a, fork_b;

void *left(void *arg)
{
	sem_wait(&fork_a);
	sem_wait(&fork_b);
	sem_post(&fork_b);
	sem_post(&fork_a);
	return 0;
}

void *right(void *arg)
{
	sem_wait(&fork_b);
	sem_wait(&fork_a);
	sem_post(&fork_a);
	sem_post(&fork_b);
	return 0;
}

int main(void)
{
	pthread_t plato, kant;

	sem_init(&fork_a, 0, 1);
	sem_init(&fork_b, 0, 1);
	pthread_create(&plato, 0, left, 0);
	pthread_create(&kant, 0, right, 0);
	pthread_join(plato, 0);
	pthread_join(kant, 0);
	return 0;
}
