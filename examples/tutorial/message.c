/* One thread prepares a message and raises a flag, the other one waits for the flag. */
#include <pthread.h>
#include <stdatomic.h>

int message;
#ifdef ATOMIC
atomic_int ready;
#else
int ready;
#endif

void *sender(void *arg)
{
	message = 42;
	ready = 1;
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, sender, 0);
	while (!ready)
		;
	return message != 42;
}
