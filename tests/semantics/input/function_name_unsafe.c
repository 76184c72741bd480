// __func__ is the function's name.
#include <assert.h>
#include <string.h>
static int named(void) { return strcmp(__func__, "main") == 0 && __FUNCTION__[1] == 'a'; }
int main(void) { assert(named()); }
