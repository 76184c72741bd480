// Memory for one struct, seen as another one whose first members are equal.
#include <stdlib.h>
struct t {
    int x, u, y;
};
struct s {
    int x;
    short u, w;
    int y;
};
int main(void) {
    struct t *t = malloc(sizeof *t);
    t->y = 0;
    struct s *s = (struct s *)t;
    s->y = 7;
    return t->y;
}
