// assertions
#include <assert.h>
#include <pthread.h>

enum color { RED, GREEN = 5, BLUE } color;
double width;
struct point { int x, y; } corners[2], *where;
int below;
const char *name;
unsigned char byte;
void *(*routine)(void *);

void *work(void *arg)
{
	color = BLUE;
	width = 2.5;
	below = -7;
	byte = 200;
	where = &corners[1];
	name = "first";
	routine = work;
	return 0;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, 0, work, 0);
	pthread_join(worker, 0);
	assert(color != BLUE || width < 2 || below > 0 || byte < 100 || !where || !name || !routine);
	return 0;
}
