// relyant: --ilp32
// On 32-bit x86 a member of eight bytes is aligned to four; headers say what types are for 32 bits.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
struct pair {
    char first;
    long long second;
};
int main(void) {
    uint64_t large = 1ULL << 32;
    uintptr_t address = (uintptr_t)&large;
    assert(sizeof(struct pair) == 12 && _Alignof(struct pair) == 4);
    assert(large != 0);
    assert(sizeof(pthread_mutex_t) == 24 && sizeof(address) == 4);
    assert(*(uint64_t *)address == large);
}
