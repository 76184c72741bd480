// deadlock
#include <pthread.h>

struct account { pthread_mutex_t lock; int money; };
struct account a = { PTHREAD_MUTEX_INITIALIZER, 10 }, b = { PTHREAD_MUTEX_INITIALIZER, 10 };

void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->money--;
	to->money++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

void *give(void *arg)
{
	transfer(&a, &b);
	return 0;
}

void *take(void *arg)
{
	transfer(&b, &a);
	return 0;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, 0, give, 0);
	pthread_create(&t2, 0, take, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	return 0;
}
