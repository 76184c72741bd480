// Calls in conditions: each test calls anew, and side effects stay.
#include <assert.h>
int n;
int next(void) { return ++n; }
int main(void) {
    int rounds = 0;
    while (next() < 3)
        rounds++;
    if (next() == 4 && next() == 5)
        rounds += 10;
    assert(rounds == 12 && n == 4);
}
