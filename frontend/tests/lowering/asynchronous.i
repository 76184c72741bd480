// unsafe
int n, m[2];
void put(int i, int v) { m[i] = v; }
int main() {
  int k = 1;
  __CPROVER_ASYNC_1: put(1, 5);
  __CPROVER_ASYNC_2: n = 3;
  __CPROVER_ASYNC_3: { int t = n; n = t + 1; }
  __CPROVER_assume(m[1] == 5);
  __CPROVER_assert(n != 4, "both ran");
}
