// relyant: --ilp32
#include <assert.h>
struct pair {
    char first;
    long long second;
};
int main(void) {
    assert(sizeof(struct pair) == 16);
}
