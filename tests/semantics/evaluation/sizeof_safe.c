// `sizeof` does not evaluate; sizes and alignment as the ABI has them.
#include <assert.h>
struct s { char c; int i; short h; };
int main(void) {
    int x = 0;
    assert(sizeof(x++) == 4 && x == 0);
    assert(sizeof(struct s) == 12 && sizeof(char[3]) == 3 && sizeof 'a' == 4);
    int a[10];
    assert(sizeof a / sizeof *a == 10 && sizeof(long long) == 8);
}
