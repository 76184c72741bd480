// valid-memsafety
#include <pthread.h>
#include <stdlib.h>

struct box { int value; };
struct box *shared;

void *drop(void *arg)
{
	if (shared) {
		free(shared);
		shared = 0;
	}
	return 0;
}

int main(void)
{
	pthread_t t1, t2;

	shared = malloc(sizeof *shared);
	pthread_create(&t1, 0, drop, 0);
	pthread_create(&t2, 0, drop, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	return 0;
}
