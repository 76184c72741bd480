// assertions
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define swap atomic_compare_exchange_strong

struct node { struct node *next; int taken; };
struct node c, b = { &c }, a = { &b };
struct node *_Atomic top = &a;

struct node *pop(void)
{
	struct node *old, *new;

	do
		old = top, new = old->next;
	while (!swap(&top, &old, new));
	return old;
}

void *one(void *arg)
{
	pop();
	return 0;
}

int main(void)
{
	pthread_t t1;

	pthread_create(&t1, 0, one, 0);
	struct node *n = pop();
	pop()->taken = 1;
	n->next = top, top = n;
	pthread_join(t1, 0);
	assert(!top->taken);
	return 0;
}
