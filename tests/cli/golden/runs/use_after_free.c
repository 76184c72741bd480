// valid-memsafety
#include <pthread.h>
#include <stdlib.h>

enum state { IDLE, BUSY };
struct node { enum state state; double load; struct node *next; };
struct node *top;

void push(void)
{
	struct node *n = malloc(sizeof *n);

	n->state = IDLE;
	n->load = 0.5;
	n->next = top;
	top = n;
}

void *pop(void *arg)
{
	struct node *n = top;

	n->state = BUSY;
	top = n->next;
	free(n);
	return 0;
}

int main(void)
{
	pthread_t t[2];

	push();
	push();
	pthread_create(&t[0], 0, pop, 0);
	pthread_create(&t[1], 0, pop, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
