/*
 * A producer and a consumer share a buffer of one place and send themselves to sleep. The consumer looks, finds
 * nothing, and before it has gone to sleep the producer wakes it: the wake-up is lost, and in the end both sleep.
 * With TOGETHER looking and going to sleep are one step.
 */
#include <pthread.h>
#include <semaphore.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int full;                             /* the buffer has an item */
int producer_asleep, consumer_asleep; /* who waits to be woken */
sem_t wake_producer, wake_consumer;

#ifdef TOGETHER
#define LOOK __VERIFIER_atomic_begin()
#define LOOKED __VERIFIER_atomic_end()
#else
#define LOOK
#define LOOKED
#endif

void *producer(void *unused)
{
	int sleep, wake;

	while (1) {
		LOOK;
		sleep = full;
		if (sleep)
			producer_asleep = 1;
		LOOKED;
		if (sleep)
			sem_wait(&wake_producer);
		__VERIFIER_atomic_begin();
		full = 1;
		wake = consumer_asleep;
		consumer_asleep = 0;
		__VERIFIER_atomic_end();
		if (wake)
			sem_post(&wake_consumer);
	}
}

void *consumer(void *unused)
{
	int sleep, wake;

	while (1) {
		LOOK;
		sleep = !full;
		if (sleep)
			consumer_asleep = 1;
		LOOKED;
		if (sleep)
			sem_wait(&wake_consumer);
		__VERIFIER_atomic_begin();
		full = 0;
		wake = producer_asleep;
		producer_asleep = 0;
		__VERIFIER_atomic_end();
		if (wake)
			sem_post(&wake_producer);
	}
}

int main(void)
{
	pthread_t p, c;

	sem_init(&wake_producer, 0, 0);
	sem_init(&wake_consumer, 0, 0);
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_exit(0);
}
