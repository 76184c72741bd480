// relyant: --property valid-memsafety
typedef const int number;
static int x;
int main(void) {
  int *const p = &x;
  number *q = &x;
  *(int *)q = 1;
  number n = 1; *p = 2; q = &n; return *(int *)p;
}
