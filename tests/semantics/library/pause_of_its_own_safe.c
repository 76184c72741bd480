// A function without a body that only shares its name with one of POSIX, which takes no argument.
#include <assert.h>

void pause(int rounds);

int waited;

int main(void) {
	int rounds = 3;
	pause(rounds);
	waited = 1;
	assert(waited && rounds == 3);
	return 0;
}
