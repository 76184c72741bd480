// The other file: a `static` of the same name is another variable.
#include "counter.h"

static int step = 1;

int next(struct counter *c)
{
    if (c->value < c->limit) {
        c->value += step;
    }
    return c->value;
}
