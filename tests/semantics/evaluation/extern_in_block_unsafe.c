// `extern` in a block names the object of the file, whatever local is around it, and one object in all functions.
// real: yes
#include <assert.h>
int x = 1;
int main(void) {
    int x = 3;
    {
        extern int x;
        x++;
        assert(x == 1 || x == 4);
    }
    return x - 3;
}
