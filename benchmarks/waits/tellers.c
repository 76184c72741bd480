// Any number of tellers move money between accounts, each with a lock of its own, and take both locks in the order of the accounts.
// With HASTY they take the payer's first.
#include <pthread.h>
#define ACCOUNTS 5

extern int __VERIFIER_nondet_int(void);

struct account {
	long balance;
	pthread_mutex_t lock;
};

struct account bank[ACCOUNTS];

static void pay(int payer, int payee, int amount)
{
	int first = payer < payee ? payer : payee;
	int second = payer < payee ? payee : payer;
#ifdef HASTY
	first = payer;
	second = payee;
#endif
	pthread_mutex_lock(&bank[first].lock);
	pthread_mutex_lock(&bank[second].lock);
	bank[payer].balance -= amount;
	bank[payee].balance += amount;
	pthread_mutex_unlock(&bank[second].lock);
	pthread_mutex_unlock(&bank[first].lock);
}

void *teller(void *arg)
{
	while (__VERIFIER_nondet_int()) {
		int payer = __VERIFIER_nondet_int(), payee = __VERIFIER_nondet_int();
		if (0 <= payer && payer < ACCOUNTS && 0 <= payee && payee < ACCOUNTS && payer != payee)
			pay(payer, payee, __VERIFIER_nondet_int());
	}
	return 0;
}

int main(void)
{
	pthread_t t;
	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&bank[i].lock, 0);
	while (__VERIFIER_nondet_int())
		pthread_create(&t, 0, teller, 0);
	pthread_exit(0);
}
