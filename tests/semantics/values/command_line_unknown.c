// Characters of the command line are any at each look, so that a run that relies on one is no counterexample.
// reason: the run relies on the value of `argv`
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc < 2 || argv[1][0] != '-');
    return 0;
}
