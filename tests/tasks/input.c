// An input that goes wrong, and in a loop.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int sum = 0;
    int k = 0;
    while (k < 3) {
        int x = __VERIFIER_nondet_int();
        if (x < 0 || x > 9) {
            return 0;
        }
        sum = sum + x;
        k = k + 1;
    }
    if (sum == 25) {
        reach_error();
    }
    return 0;
}
