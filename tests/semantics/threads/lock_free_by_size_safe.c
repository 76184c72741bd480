/* What the compiler says of objects of a size that one instruction takes. */
#include <assert.h>
#include <stdatomic.h>
atomic_long count;
int main(void) {
    assert(atomic_is_lock_free(&count) == 1);
    assert(__atomic_always_lock_free(4, 0) == 1);
    return 0;
}
