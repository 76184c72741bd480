// assertions
#include <assert.h>
#include <pthread.h>

int state, fresh;

void *work(void *arg)
{
	for (int round = 0; round < 2; round++) {
		if (round == 0 && state == 0)
			fresh = 1;
		if (round == 1)
			state = 5;
	}
	return 0;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, 0, work, 0);
	state = 1;
	pthread_join(worker, 0);
	assert(!fresh || state != 5);
	return 0;
}
