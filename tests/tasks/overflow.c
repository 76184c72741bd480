// The negative of the smallest number.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = 0;
    if (x < 0) {
        y = -x;
    }
    return y > 0;
}
