// deadlock
#include <pthread.h>

pthread_barrier_t gate;
struct point { int x, y; } corners[2], *last;
const char *name;

void *work(void *arg)
{
	last = &corners[1];
	name = "first";
	pthread_barrier_wait(&gate);
	return 0;
}

int main(void)
{
	pthread_t worker[3];

	pthread_barrier_init(&gate, 0, 2);
	for (int i = 0; i < 3; i++)
		pthread_create(&worker[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(worker[i], 0);
	return last == 0 || name == 0;
}
