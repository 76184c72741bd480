/*
 * Ten drawers with a lock each, and a book that is locked inside of that. A visitor opens some drawer, takes what is in
 * it out and puts it back, and writes both into the book.
 * UNLOCKED: visitors lock the book only, and that once for each entry.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define DRAWERS 10
#define VISITORS 1000

struct drawer {
	int out;
	pthread_mutex_t lock;
} drawer[DRAWERS];

pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;
int entries;

void *visitor(void *unused)
{
	int k = __VERIFIER_nondet_int();
	if (k < 0 || k >= DRAWERS)
		return 0;
#ifndef UNLOCKED
	pthread_mutex_lock(&drawer[k].lock);
#endif
	pthread_mutex_lock(&book);
	drawer[k].out++;
	entries++;
	pthread_mutex_unlock(&book);
	assert(drawer[k].out == 1);
	pthread_mutex_lock(&book);
	drawer[k].out--;
	entries++;
	pthread_mutex_unlock(&book);
#ifndef UNLOCKED
	pthread_mutex_unlock(&drawer[k].lock);
#endif
	return 0;
}

int main(void)
{
	pthread_t visitors[VISITORS];
	for (int i = 0; i < VISITORS; i++)
		pthread_create(&visitors[i], 0, visitor, 0);
	for (int i = 0; i < VISITORS; i++)
		pthread_join(visitors[i], 0);
	return 0;
}
