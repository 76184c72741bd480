// deadlock
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;

void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	pthread_mutex_lock(y);
	pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
}

void *ab(void *arg) { both(&a, &b); return 0; }
void *bc(void *arg) { both(&b, &c); return 0; }
void *ca(void *arg) { both(&c, &a); return 0; }

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, 0, ab, 0);
	pthread_create(&second, 0, bc, 0);
	ca(0);
	pthread_join(first, 0);
	pthread_join(second, 0);
	return 0;
}
