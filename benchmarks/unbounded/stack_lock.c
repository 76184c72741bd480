/*
 * A stack in an array under a mutex. Slots below the top hold an item, those above hold none.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define SLOTS 3

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int slot[SLOTS]; /* 0: no item */
int height;

void *push(void *unused)
{
	pthread_mutex_lock(&guard);
	if (height < SLOTS) {
		slot[height] = 7;
		height = height + 1;
	}
	pthread_mutex_unlock(&guard);
	return 0;
}

void *pop(void *unused)
{
	int item;

	pthread_mutex_lock(&guard);
	if (height > 0) {
		height = height - 1;
		item = slot[height];
		slot[height] = 0;
		assert(item != 0);
	}
	pthread_mutex_unlock(&guard);
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, push, 0);
		else
			pthread_create(&t, 0, pop, 0);
	}
}
