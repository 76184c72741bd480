// assertions
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int low, high;

void *widen(void *arg)
{
	pthread_rwlock_rdlock(&lock); /* it writes */
	low--;
	high++;
	pthread_rwlock_unlock(&lock);
	return 0;
}

int main(void)
{
	pthread_t writer;

	pthread_create(&writer, 0, widen, 0);
	pthread_rwlock_rdlock(&lock);
	int l = low, h = high;
	pthread_rwlock_unlock(&lock);
	assert(l == -h);
	pthread_join(writer, 0);
	return 0;
}
