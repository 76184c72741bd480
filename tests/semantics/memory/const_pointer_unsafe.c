// relyant: --property valid-memsafety
// violation: write to what is defined const
int main(void) {
  int x = 0;
  int *const p = &x;
  int **pp = (int **)&p;
  *pp = 0;
  return x;
}
