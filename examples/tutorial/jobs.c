/* A list of jobs is made, as many as are asked for, and a thread works it off. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct job {
	struct job *next;
};

struct job *jobs;
int done;

void *worker(void *arg)
{
	struct job *j;

	for (j = jobs; j != 0; j = j->next)
		done++;
	return 0;
}

int main(void)
{
	pthread_t t;
	int i, wanted = __VERIFIER_nondet_int();

	if (wanted > 20)
		return 1;
	for (i = 0; i < wanted; i++) {
		struct job *j = malloc(sizeof *j);

		if (j == 0)
			return 1;
		j->next = jobs;
		jobs = j;
	}
	pthread_create(&t, 0, worker, 0);
	pthread_join(t, 0);
	assert(wanted < 0 || done == wanted);
	return 0;
}
