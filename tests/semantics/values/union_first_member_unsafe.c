// A list without a designator starts a union's first member (C11 6.7.9p17), whether or not the file names it; a static
// pointer may start as the address of a member, and the member holds the bytes given.
#include <assert.h>
#include <pthread.h>
union number { int whole; short half; unsigned char byte; };
union bits { int all; unsigned low : 5; short part; };
struct pair { union number n; int tail; };
static union number g = { 0x10203 };
static struct pair list[2] = { { { -2 }, 7 }, { { 515 }, 8 } };
static union bits b = { -3 };
static short *part = &b.part;
static short *second = &list[1].n.half;
void *work(void *arg) { *second = 9; return arg; }
int main(void) {
  pthread_t t;
  union number local = { 513 };
  assert(g.half == 0x203);
  assert(local.half == 513);
  assert(list[0].n.half == -2 && list[0].tail == 7);
  assert(*part == 3);
  assert(*second == 515);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(list[1].n.half == 9 && list[1].tail == 8);
  return 0;
}
