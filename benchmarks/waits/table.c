// Ten philosophers at a table, who eat as often as they like. The last one begins with the fork on the other side; with GREEDY nobody does.
#include <pthread.h>
#define SEATS 10

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t fork[SEATS];
int meals[SEATS];

void *philosopher(void *seat)
{
	long me = (long)seat, first = me, second = (me + 1) % SEATS;
#ifndef GREEDY
	if (second < first) {
		first = second;
		second = me;
	}
#endif
	while (__VERIFIER_nondet_int()) {
		pthread_mutex_lock(&fork[first]);
		pthread_mutex_lock(&fork[second]);
		meals[me]++;
		pthread_mutex_unlock(&fork[second]);
		pthread_mutex_unlock(&fork[first]);
	}
	return 0;
}

int main(void)
{
	pthread_t guest[SEATS];
	for (long i = 0; i < SEATS; i++)
		pthread_create(&guest[i], 0, philosopher, (void *)i);
	for (int i = 0; i < SEATS; i++)
		pthread_join(guest[i], 0);
	return 0;
}
