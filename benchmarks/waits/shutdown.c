// A worker does jobs until it is told to stop, and keeps a log under a second lock only when it is asked to. Who stops it waits for it
// without a lock; with INSIDE while it holds the one that the worker needs to see that.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t jobs = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
int stop, done, lines;

void *worker(void *verbose)
{
	for (;;) {
		int talks = verbose != 0;
		if (talks)
			pthread_mutex_lock(&log_lock);
		pthread_mutex_lock(&jobs);
		int over = stop;
		done++;
		pthread_mutex_unlock(&jobs);
		if (talks) {
			lines++;
			pthread_mutex_unlock(&log_lock);
		}
		if (over)
			return 0;
	}
}

int main(void)
{
	pthread_t one, two;
	pthread_create(&one, 0, worker, 0);
	pthread_create(&two, 0, worker, &lines);
	pthread_mutex_lock(&jobs);
	stop = 1;
#ifdef INSIDE
	pthread_join(one, 0);
	pthread_mutex_unlock(&jobs);
#else
	pthread_mutex_unlock(&jobs);
	pthread_join(one, 0);
#endif
	pthread_join(two, 0);
	return 0;
}
