// relyant: --property valid-memsafety
int main(void) {
  int limit = 3;
  const int *p = &limit;
  *(int *)p = 4;
  return limit;
}
