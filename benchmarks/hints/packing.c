/*
 * A packing line: any number of makers use two parts for each piece, and any number of packers put twelve pieces into a box. There are never
 * more boxes than there were parts for.
 */
#include <assert.h>
#include <pthread.h>

/*@ predicate: parts == 2*loose + 24*boxes; loose >= 0 */

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long long parts, loose, boxes;

void *maker(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		parts = parts + 2;
		loose = loose + 1;
		pthread_mutex_unlock(&m);
	}
}

void *packer(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		if (loose >= 12) {
			loose = loose - 12;
			boxes = boxes + 1;
		}
		pthread_mutex_unlock(&m);
	}
}

void *auditor(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		assert(24 * boxes <= parts);
		pthread_mutex_unlock(&m);
	}
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, auditor, 0);
	for (;;) {
		pthread_create(&t, 0, maker, 0);
		pthread_create(&t, 0, packer, 0);
	}
}
