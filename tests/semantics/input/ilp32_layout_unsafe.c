// relyant: --ilp32
#include <assert.h>
struct pair {
    char first;
    long long second;
};
int main(void) {
    assert(sizeof(struct pair) == 16);
}
// compiled: it is compiled for 64 bits, and the verdict is about 32
