// The start value of an object is seen by all.
#include <assert.h>
struct head {
    char *name;
};
static int word;
static struct head *at = (struct head *)&word;
static int use(void) { return at != 0; }
int main(void)
{
    assert(use());
}
