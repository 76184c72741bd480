// relyant: --property valid-memsafety
// violation: write to what is defined const
// What a declaration in a loop or a parameter gets first is no such write.
struct pair { int x, y; };
static struct pair make(int i) {
  struct pair r = {i, i + 1};
  return r;
}
static int sum(const struct pair given, int i) {
  const int *first = &given.x;
  return *first + i;
}
int main(void) {
  int s = 0;
  for (int i = 0; i < 3; i++) {
    const int a[3] = {i, i + 1};
    const struct pair b = make(i);
    const struct pair *p = i == 2 ? &b : &(const struct pair){1, i};
    s = sum(*p, i);
    s += a[i] + p->x; if (i == 2) ((struct pair *)p)->y = 1;
  }
  return s;
}
