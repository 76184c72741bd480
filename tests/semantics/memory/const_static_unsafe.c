// relyant: --property valid-memsafety
// violation: write to what is defined const
static const int limit = 3;
int main(void) {
  int *p = (int *)&limit;
  *p = 4;
  return 0;
}
