// The sum of inputs grows with each of them.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int k = 0;
    int sum = 0;
    if (x < 1 || x > 100) {
        return 0;
    }
    while (k < 1000) {
        sum = sum + x;
        k = k + 1;
    }
    if (sum < 1000) {
        reach_error();
    }
    return 0;
}
