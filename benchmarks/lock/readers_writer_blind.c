/*
 * Readers-writer lock whose writer does not look for readers.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int writing;
int readers;
int data;

void *writer(void *arg)
{
	__VERIFIER_atomic_begin();
	__VERIFIER_assume(writing == 0);
	writing = 1;
	__VERIFIER_atomic_end();
	data = 3;
	writing = 0;
	return 0;
}

void *reader(void *arg)
{
	int seen;

	__VERIFIER_atomic_begin();
	__VERIFIER_assume(writing == 0);
	readers = readers + 1;
	__VERIFIER_atomic_end();
	seen = data;
	assert(seen == data);
	__VERIFIER_atomic_begin();
	readers = readers - 1;
	__VERIFIER_atomic_end();
	return 0;
}

int main(void)
{
	pthread_t w, r;

	pthread_create(&w, 0, writer, 0);
	pthread_create(&r, 0, reader, 0);
	pthread_join(w, 0);
	pthread_join(r, 0);
	return 0;
}
