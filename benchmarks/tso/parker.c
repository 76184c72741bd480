/*
 * A parker on x86, after the one that the Java virtual machine had: who parks says that it sleeps, looks for a permit, and
 * sleeps until it is woken. Who unparks gives a permit and wakes whoever sleeps. Without fences each looks before the other
 * one's store has come to memory, and nobody is woken.
 */
#include <assert.h>
#include <pthread.h>
#ifdef FENCED
#define FENCE() __sync_synchronize()
#else
#define FENCE()
#endif

volatile int permit, sleeps;
int slept, unwoken;

void *parks(void *unused)
{
	sleeps = 1;
	FENCE();
	slept = !permit;
	return 0;
}

void *unparks(void *unused)
{
	permit = 1;
	FENCE();
	unwoken = !sleeps;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, parks, 0);
	pthread_create(&b, 0, unparks, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(!(slept && unwoken));
	return 0;
}
