/*
 * Readers count themselves in, then look whether a writer has raised its flag; a writer raises it, then waits until
 * no reader is counted in. Who comes at a bad time goes away. At most MAX readers are counted in.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef MAX
#define MAX 3
#endif

int readers;
int writing;
unsigned page;

void *reader(void *unused)
{
	int old;
	unsigned seen;

	do {
		old = readers;
		if (old == MAX)
			return 0;
	} while (!__sync_bool_compare_and_swap(&readers, old, old + 1));
	if (!writing) {
		seen = page;
		assert(page == seen);
	}
	__sync_fetch_and_sub(&readers, 1);
	return 0;
}

void *writer(void *unused)
{
	if (__sync_bool_compare_and_swap(&writing, 0, 1)) {
		while (readers != 0)
			;
		page = page + 1;
		writing = 0;
	}
	return 0;
}

int main(void)
{
	pthread_t t;

	while (1) {
		if (__VERIFIER_nondet_int())
			pthread_create(&t, 0, reader, 0);
		else
			pthread_create(&t, 0, writer, 0);
	}
}
