// relyant: --property valid-memsafety
// violation: write to what is defined const
struct node { struct { const int kind; int next; } in[2]; };
static void set(int *p) { *p = 7; }
int main(void) {
  struct node n = {{{1, 2}, {3, 4}}};
  for (int i = 0; i < 2; i++) set((int *)&n.in[i].kind);
  return n.in[1].next;
}
// compiled: a write to a const object that is in writable memory has its effect
