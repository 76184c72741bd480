/*
 * Time-varying mutual exclusion with the block marked busy only after it was written: the cleaner may still
 * take it for free.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;
int inode;
int busy;
int block;

void *allocator(void *arg)
{
	pthread_mutex_lock(&inode_lock);
	block = 1;
	assert(block >= 1);
	if (inode == 0) {
		pthread_mutex_lock(&block_lock);
		busy = 1;
		pthread_mutex_unlock(&block_lock);
		inode = 1;
	}
	pthread_mutex_unlock(&inode_lock);
	return 0;
}

void *cleaner(void *arg)
{
	pthread_mutex_lock(&block_lock);
	if (busy == 0) {
		block = 0;
		assert(block <= 0);
	}
	pthread_mutex_unlock(&block_lock);
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, allocator, 0);
	pthread_create(&b, 0, cleaner, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
