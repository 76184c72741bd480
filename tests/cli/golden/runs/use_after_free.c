// valid-memsafety
#include <pthread.h>
#include <stdlib.h>

enum state { IDLE, BUSY };
struct node { enum state state; double load; struct node *next; };
struct node *top;

void *pop(void *arg)
{
	struct node *n = top;

	if (!n)
		return 0;
	n->state = BUSY;
	top = n->next;
	free(n);
	return 0;
}

int main(void)
{
	pthread_t t[2];

	top = malloc(sizeof *top);
	top->load = 0.5;
	top->next = 0;
	pthread_create(&t[0], 0, pop, 0);
	pthread_create(&t[1], 0, pop, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
