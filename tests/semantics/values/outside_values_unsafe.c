// What is read from outside is any value; reading may also end before an object.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int a = 1, b = 2;

int main(int argc, char **argv) {
    if (argc > 1) {
        int n = sscanf(argv[1], "%d %d", &a, &b);
        assert(n <= 2 && n >= -1);
        assert(n < 1 || a != 7);
    }
    int r = rand();
    assert(r >= 0);
    return atoi(argv[0]);
}
