// relyant: --property valid-memsafety
// violation: write to what is defined const
typedef const int number;
static int x;
int main(void) {
  int *const p = &x;
  number *q = &x;
  *(int *)q = 1;
  number n = 1; q = &n; *(int *)q = 2; return n;
}
