// Rows of an array are arrays.
#include <assert.h>
int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
int sum(int (*row)[3]) { return (*row)[0] + (*row)[1] + (*row)[2]; }
int main(void) {
    assert(sum(&m[1]) == 6 && m[0][2] == 3);
    int *flat = m[0];
    assert(flat[1] == 2 && sizeof m == 24 && sizeof m[0] == 12);
}
