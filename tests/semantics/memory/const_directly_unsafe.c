// relyant: --property valid-memsafety
// violation: write to what is defined const
int main(void) {
  const int limit = 3;
  *(int *)&limit = 4;
  return limit;
}
