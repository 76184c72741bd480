// assumes: `__CPROVER_uninterpreted_f` is some function of its argument
// The same for the same.
signed char __CPROVER_uninterpreted_f(signed char);
signed char nondet_char(void);
int main(void)
{
    signed char a = nondet_char(), b = nondet_char();
    int x = __CPROVER_uninterpreted_f(a), y = __CPROVER_uninterpreted_f(b);
    __CPROVER_assert(x == y, "a function");
}
