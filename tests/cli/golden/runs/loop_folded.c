// assertions
#include <assert.h>
#include <pthread.h>

#define ROUNDS 40
int sum;

void *add(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		sum += 2;
	return 0;
}

int main(void)
{
	pthread_t adder;

	pthread_create(&adder, 0, add, 0);
	pthread_join(adder, 0);
	assert(sum != 80);
	return 0;
}
