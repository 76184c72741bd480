// C11 6.5.2.2p10: a record is passed as it is before or after another argument is evaluated.
#include <assert.h>
struct p { int x, y; } s;
int set(void) { s.y = 1; return 0; }
int get(struct p q, int k) { return q.y + k; }
int main(void) {
    int r = get(s, set());
    assert(r == 0 || r == 1);
    return 0;
}
