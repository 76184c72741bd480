// safe
#include <assert.h>
static int trace;
static int step(int digit)
{
    trace = trace * 10 + digit;
    return digit;
}
static int choose(int n)
{
    switch (n) {
    case 1:
        return 10;
    case 2:
    case 3:
        n += 100;
    case 4:
        n++;
        break;
    case 7 ... 9:
        n = 70;
        break;
    default:
        n = -1;
        if (0) {
    case 5:
            n = 55;
        }
    }
    return n;
}
int main(void)
{
    assert(choose(1) == 10 && choose(2) == 103 && choose(4) == 5 && choose(5) == 55);
    assert(choose(6) == -1 && choose(8) == 70 && choose(10) == -1);
    step(1) && (step(0) || step(2)) ? step(3) : step(4);
    assert(trace == 1023);
    int n = 0;
    for (int i = 0;; i++) {
        if (i == 2)
            continue;
        if (i == 5)
            break;
        n += i;
    }
    assert(n == 8);
    do {
        if (n == 10)
            continue;
        n++;
    } while (n < 10);
    assert(n == 10);
    goto inside;
    while (n < 13) {
        n += 5;
    inside:
        n++;
    }
    assert(n == 17);
    trace = 0;
    int k = (step(1), step(2)) + step(3);
    assert(k == 5 && (trace == 123 || trace == 132 || trace == 312));
    int v = ({ int w = 4; w++; w * 2; });
    assert(v == 10);
    return 0;
}
