// assertions
#include <assert.h>
#include <pthread.h>

struct config { double scale; int *limit; };
struct config config;
int limit;

void *serve(void *arg)
{
	double s = config.scale;

	assert(s > 0);
	return config.limit;
}

int main(void)
{
	pthread_t server;

	pthread_create(&server, 0, serve, 0);
	config.scale = 1.5;
	config.limit = &limit;
	pthread_join(server, 0);
	return 0;
}
