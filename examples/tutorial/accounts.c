/* Two transfers between two accounts, each with the locks of both. */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

struct account ann = { PTHREAD_MUTEX_INITIALIZER, 10 };
struct account bob = { PTHREAD_MUTEX_INITIALIZER, 10 };

void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

void *pay(void *arg)
{
	transfer(&ann, &bob);
	return 0;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, pay, 0);
	transfer(&bob, &ann);
	pthread_join(t, 0);
	return 0;
}
