// Three books of a shop: what was sold left the shelf and is in the till, at 3 a piece; what was sent back is the other way
// round. Any number of clerks, each change of the books under one lock. With EARLY the lock is given back between two books.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;
int shelf = 1000, sold, till;

void *clerk(void *unused)
{
	while (__VERIFIER_nondet_int()) {
		pthread_mutex_lock(&books);
		if (__VERIFIER_nondet_int()) {
			if (shelf > 0) {
				shelf = shelf - 1;
				sold = sold + 1;
#ifdef EARLY
				pthread_mutex_unlock(&books);
				pthread_mutex_lock(&books);
#endif
				till = till + 3;
			}
		} else if (sold > 0) {
			till = till - 3;
			sold = sold - 1;
			shelf = shelf + 1;
		}
		pthread_mutex_unlock(&books);
	}
	return 0;
}

int main(void)
{
	pthread_t one;
	while (__VERIFIER_nondet_int())
		pthread_create(&one, 0, clerk, 0);
	pthread_mutex_lock(&books);
	assert(shelf + sold == 1000 && till == 3 * sold);
	pthread_mutex_unlock(&books);
	return 0;
}
