// assertions
#include <assert.h>
#include <pthread.h>
#define INCREMENT(x) ((x)++)

int n;

void *count(void *arg)
{
	INCREMENT(n);
	return 0;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, 0, count, 0);
	pthread_create(&t2, 0, count, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	assert(n == 2);
	return 0;
}
