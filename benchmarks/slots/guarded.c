/*
 * Each account has a lock of its own. A clerk takes a coin out of some account and puts it back, or checks that none is missing.
 * NEIGHBOUR: who checks takes the lock of the account beside.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define CLERKS 5000

#ifndef ACCOUNTS
#define ACCOUNTS 100
#endif

#ifdef NEIGHBOUR
#define CHECKED(k) (((k) + 1) % ACCOUNTS)
#else
#define CHECKED(k) (k)
#endif

struct account {
	int missing;
	pthread_mutex_t lock;
} account[ACCOUNTS];

void *clerk(void *unused)
{
	int k = __VERIFIER_nondet_int();
	if (k < 0 || k >= ACCOUNTS)
		return 0;
	struct account *mine = &account[k];
	pthread_mutex_lock(&mine->lock);
	if (__VERIFIER_nondet_int()) {
		mine->missing = 1;
		mine->missing = 0;
	} else {
		assert(account[CHECKED(k)].missing == 0);
	}
	pthread_mutex_unlock(&mine->lock);
	return 0;
}

int main(void)
{
	pthread_t clerks[CLERKS];
	for (int k = 0; k < ACCOUNTS; k++)
		pthread_mutex_init(&account[k].lock, 0);
	for (int i = 0; i < CLERKS; i++)
		pthread_create(&clerks[i], 0, clerk, 0);
	for (int i = 0; i < CLERKS; i++)
		pthread_join(clerks[i], 0);
	return 0;
}
