// relyant: --property valid-memsafety
int main(void) {
  int x = 0;
  int *const p = &x;
  int **pp = (int **)&p;
  **pp = 5;
  return x;
}
