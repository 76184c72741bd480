/*
 * A hash table: lists of entries, each with the lock of its bucket. Clerks put entries in, count what is there, and take entries
 * out; who has taken one out has it for himself, without any lock.
 * NEIGHBOUR: an entry goes into the list after the one whose lock is held.
 * KEPT: a clerk still looks at an entry that is in the table.
 */
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 3

struct entry {
	int key;
	int hits;
	struct entry *next;
};

struct entry *bucket[BUCKETS];
pthread_mutex_t lock[BUCKETS];

static void put(int key)
{
	int b = key % BUCKETS;
	int list = b;
	struct entry *e = malloc(sizeof *e);
	e->key = key;
	e->hits = 0;
#ifdef NEIGHBOUR
	list = (b + 1) % BUCKETS;
#endif
	pthread_mutex_lock(&lock[b]);
	e->next = bucket[list];
	bucket[list] = e;
	pthread_mutex_unlock(&lock[b]);
#ifdef KEPT
	if (e->hits > 0)
		e->key = -1;
#endif
}

static void count(int b)
{
	pthread_mutex_lock(&lock[b]);
	for (struct entry *e = bucket[b]; e; e = e->next)
		e->hits++;
	pthread_mutex_unlock(&lock[b]);
}

static struct entry *take(int b)
{
	pthread_mutex_lock(&lock[b]);
	struct entry *e = bucket[b];
	if (e)
		bucket[b] = e->next;
	pthread_mutex_unlock(&lock[b]);
	return e;
}

static void *clerk(void *unused)
{
	for (int b = 0; b < BUCKETS; b++) {
		put(b + BUCKETS);
		count(b);
	}
	for (int b = 0; b < BUCKETS; b++) {
		struct entry *mine = take(b);
		if (mine)
			mine->hits = mine->key;
	}
	return 0;
}

int main(void)
{
	pthread_t t;
	for (int b = 0; b < BUCKETS; b++)
		pthread_mutex_init(&lock[b], 0);
	for (int key = 0; key < 3 * BUCKETS; key++)
		put(key);
	pthread_create(&t, 0, clerk, 0);
	for (int b = 0; b < BUCKETS; b++) {
		count(b);
		struct entry *mine = take(b);
		if (mine)
			mine->key = 0;
	}
	return 0;
}
