/*
 * Time-varying mutual exclusion (after Flanagan, Freund and Qadeer, ESOP 2002): a disk block is guarded by the
 * block lock as long as no inode owns it, and by the inode's lock from then on. Which lock protects `block`
 * changes while the program runs.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;
int inode; /* the inode has its block */
int busy;  /* the block belongs to an inode */
int block; /* contents */

void *allocator(void *arg)
{
	pthread_mutex_lock(&inode_lock);
	if (inode == 0) {
		pthread_mutex_lock(&block_lock);
		busy = 1;
		pthread_mutex_unlock(&block_lock);
		inode = 1;
	}
	block = 1;
	assert(block >= 1);
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
