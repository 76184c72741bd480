// A pointer that no function of the file fits, where nobody calls it; and one that was given none with a body.
#include <assert.h>
struct operations {
    int (*open)(int, int, int);
    void (*close)(void *);
};
extern struct operations *found;
extern void somewhere_else(void *);
static struct operations own = {0, somewhere_else};
static int done, on;
static void use(struct operations *o)
{
    o->open(1, 2, 3);
}
static void end(struct operations *o)
{
    o->close(0);
}
int main(void)
{
    if (on) {
        use(found);
        end(&own);
    }
    done = 1;
    assert(done == 2);
}
