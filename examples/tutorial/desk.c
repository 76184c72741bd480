/* Ann and Bob use a desk in turns: who has finished says whose turn it is. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

enum { ANN = 1, BOB = 2 };

int turn = ANN;
int desk; /* whose things lie on it */

void *ann(void *arg)
{
	do {
		while (turn != ANN)
			;
		desk = ANN;
		assert(desk == ANN);
		turn = BOB;
	} while (__VERIFIER_nondet_int());
	return 0;
}

void *bob(void *arg)
{
	do {
		while (turn != BOB)
			;
		desk = BOB;
		assert(desk == BOB);
		turn = ANN;
	} while (__VERIFIER_nondet_int());
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, ann, 0);
	pthread_create(&b, 0, bob, 0);
	return 0;
}
