/*
 * Each room of a house has a lock of its own. Watchmen go through all rooms: in each they switch the light on and off again, or see
 * that it is off. A log that all share says nothing of rooms.
 * NEXT: who looks has the lock of the next room.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef ROOMS
#define ROOMS 12
#endif
#define WATCHMEN 500

#ifdef NEXT
#define KEY(r) (house + (r - house + 1) % ROOMS)
#else
#define KEY(r) (r)
#endif

struct room {
	int light;
	pthread_mutex_t lock;
} house[ROOMS];

pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
unsigned entries;

static void note(void)
{
	pthread_mutex_lock(&log_lock);
	entries++;
	pthread_mutex_unlock(&log_lock);
}

static void visit(struct room *r)
{
	struct room *key = r;
	int looks = __VERIFIER_nondet_int();
	if (looks)
		key = KEY(r);
	pthread_mutex_lock(&key->lock);
	if (looks) {
		assert(r->light == 0);
	} else {
		r->light++;
		note();
		r->light--;
	}
	pthread_mutex_unlock(&key->lock);
}

void *watchman(void *unused)
{
	for (int k = 0; k < ROOMS; k++)
		visit(&house[k]);
	return 0;
}

int main(void)
{
	pthread_t watchmen[WATCHMEN];
	for (int k = 0; k < ROOMS; k++)
		pthread_mutex_init(&house[k].lock, 0);
	for (int i = 0; i < WATCHMEN; i++)
		pthread_create(&watchmen[i], 0, watchman, 0);
	for (int i = 0; i < WATCHMEN; i++)
		pthread_join(watchmen[i], 0);
	return 0;
}
