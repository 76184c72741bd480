// Four tellers count what they are shown: each a hundred thousand times, under a lock. Then the sum is known. With UNLOCKED they do it without,
// and one may write over what another one has added.
#include <assert.h>
#include <pthread.h>

#ifndef EACH
#define EACH 100000
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *teller(void *unused)
{
	for (int k = 0; k < EACH; k++) {
#ifndef UNLOCKED
		pthread_mutex_lock(&lock);
#endif
		sum = sum + 1;
#ifndef UNLOCKED
		pthread_mutex_unlock(&lock);
#endif
	}
	return 0;
}

int main(void)
{
	pthread_t all[4];
	for (int t = 0; t < 4; t++)
		pthread_create(&all[t], 0, teller, 0);
	for (int t = 0; t < 4; t++)
		pthread_join(all[t], 0);
	assert(sum == 4 * EACH);
	return 0;
}
