/*
 * Driver of a keyboard: interrupts bring packets and wake all readers, of whom one gets each packet; detaching the
 * keyboard wakes them too.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define QUEUE 2

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t news = PTHREAD_COND_INITIALIZER;
int packets; /* that nobody has read */
int detached;

void *interrupt(void *unused)
{
	pthread_mutex_lock(&guard);
	if (!detached && packets < QUEUE)
		packets = packets + 1;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&guard);
	return 0;
}

void *reader(void *unused)
{
	pthread_mutex_lock(&guard);
	while (packets == 0 && !detached)
		pthread_cond_wait(&news, &guard);
	if (!detached) {
		assert(packets > 0);
		packets = packets - 1;
	}
	pthread_mutex_unlock(&guard);
	return 0;
}

void *detach(void *unused)
{
	pthread_mutex_lock(&guard);
	detached = 1;
	packets = 0;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&guard);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (__VERIFIER_nondet_int()) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, interrupt, 0);
		else
			pthread_create(&t, 0, reader, 0);
	}
	pthread_create(&t, 0, detach, 0);
	pthread_join(t, 0);
	return 0;
}
