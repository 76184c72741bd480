/*
 * A bump allocator: any number of threads take memory from a heap, in units of eight bytes, and never give it back. So all blocks are aligned.
 * How many units have been taken the program does not say; the ghost counts them.
 */
#include <assert.h>
#include <pthread.h>

#define HEAP 1000000u

extern unsigned char __VERIFIER_nondet_uchar(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned top;

/*@ predicate: top == 8*units */

void *user(void *unused)
{
	unsigned block, n;

	for (;;) {
		n = __VERIFIER_nondet_uchar();
		pthread_mutex_lock(&m);
		block = top;
		assert(block % 8 == 0);
		if (block < HEAP)
			top = block + 8 * n; /*@ ghost int units = 0; units = units + n */
		pthread_mutex_unlock(&m);
	}
}

int main(void)
{
	pthread_t t;

	for (;;)
		pthread_create(&t, 0, user, 0);
}
