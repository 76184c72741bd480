// relyant: --property valid-memsafety
static const int limit = 3;
static int open = 3;
static const int *const both[2] = {&limit, &open};
int main(void) {
  int *p = (int *)both[1];
  *p = *both[0] + 1;
  return 0;
}
