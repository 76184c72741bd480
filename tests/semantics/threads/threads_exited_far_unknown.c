// reason: no proof: an array of CBMC's has more elements
// The array has no end: what is beyond its elements here is not told.
extern __CPROVER_bool __CPROVER_threads_exited[];
unsigned nondet_uint(void);
int main(void)
{
    unsigned k = nondet_uint();
    __CPROVER_threads_exited[k] = 1;
    __CPROVER_assert(__CPROVER_threads_exited[k], "written");
}
