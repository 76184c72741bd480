// Two carriers, one stack each: the first puts `more` boxes on and takes `less` off, the second the other way round. Both stacks are as high
// then. With LOST the second one loses a box.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int more, less, left, right;

void *puts_first(void *unused)
{
	for (int k = 0; k < more; k++)
		left++;
	for (int k = 0; k < less; k++)
		left--;
	return 0;
}

void *takes_first(void *unused)
{
	for (int k = 0; k < less; k++)
		right--;
	for (int k = 0; k < more; k++)
		right++;
#ifdef LOST
	right--;
#endif
	return 0;
}

int main(void)
{
	more = __VERIFIER_nondet_int();
	less = __VERIFIER_nondet_int();
	if (more < 0 || less < 0)
		return 0;
	pthread_t a, b;
	pthread_create(&a, 0, puts_first, 0);
	pthread_create(&b, 0, takes_first, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(left == right);
	return 0;
}
