/* A number that is added to a `void *` is one of bytes. */
#include <assert.h>
int numbers[4];
int main(void) {
    void *start = numbers;
    int *second = start + sizeof(int);
    *second = 1;
    assert(numbers[1] == 1);
    return 0;
}
