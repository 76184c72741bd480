/*
 * A clock that several threads move on, minute by minute, and that counts the minutes besides. What it shows is never more than it has
 * counted: the two are equal whenever nobody moves it.
 */
#include <assert.h>
#include <pthread.h>

/*@ predicate: total == 60*hours + minutes */

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long long total, hours, minutes;

void *move(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		total = total + 1;
		minutes = minutes + 1;
		if (minutes == 60) {
			minutes = 0;
			hours = hours + 1;
		}
		pthread_mutex_unlock(&m);
	}
}

void *look(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&m);
		assert(60 * hours <= total);
		pthread_mutex_unlock(&m);
	}
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, look, 0);
	for (;;)
		pthread_create(&t, 0, move, 0);
}
