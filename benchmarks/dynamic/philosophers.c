/*
 * Dining philosophers. Each takes the fork on the left, then the one on the right, until all of them hold one.
 * With POLITE the last one begins on the right.
 */
#include <pthread.h>

#ifndef SEATS
#define SEATS 4
#endif

pthread_mutex_t fork_[SEATS];
int meals;

void *philosopher(void *place)
{
	int seat = (int)(long)place;
	int first = seat, second = (seat + 1) % SEATS;

#ifdef POLITE
	if (seat == SEATS - 1) {
		first = 0;
		second = seat;
	}
#endif
	while (1) {
		pthread_mutex_lock(&fork_[first]);
		pthread_mutex_lock(&fork_[second]);
		meals = 1 - meals;
		pthread_mutex_unlock(&fork_[second]);
		pthread_mutex_unlock(&fork_[first]);
	}
}

int main(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < SEATS; i++)
		pthread_mutex_init(&fork_[i], 0);
	for (i = 0; i < SEATS; i++)
		pthread_create(&t, 0, philosopher, (void *)(long)i);
	pthread_exit(0);
}
