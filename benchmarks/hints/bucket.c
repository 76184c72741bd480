/*
 * A token bucket (Turner, 1986): a timer puts in ten tokens at a time while there is room, and each of any number of senders takes three for a
 * packet. So no more is sent than the timer has allowed.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

/*@ predicate: 3*sent + tokens == 10*ticks; tokens >= 0 */

int tokens, sent, ticks;

void *timer(void *unused)
{
	for (;;) {
		__VERIFIER_atomic_begin();
		if (tokens < 100) {
			ticks = ticks + 1;
			tokens = tokens + 10;
		}
		__VERIFIER_atomic_end();
	}
}

void *sender(void *unused)
{
	for (;;) {
		__VERIFIER_atomic_begin();
		if (tokens >= 3) {
			tokens = tokens - 3;
			sent = sent + 1;
		}
		__VERIFIER_atomic_end();
	}
}

void *auditor(void *unused)
{
	for (;;) {
		__VERIFIER_atomic_begin();
		assert(3 * sent <= 10 * ticks);
		__VERIFIER_atomic_end();
	}
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, timer, 0);
	pthread_create(&t, 0, auditor, 0);
	for (;;)
		pthread_create(&t, 0, sender, 0);
}
