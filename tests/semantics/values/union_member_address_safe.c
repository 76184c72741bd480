// A union whose member's address is known may be read and written through its other members too; all see the same bytes.
#include <assert.h>
#include <pthread.h>
union word { unsigned whole; unsigned char byte; signed char sign; struct { unsigned short low, high; } half; };
union word w = { 0x01020304 };
static unsigned *all = &w.whole;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *arg) {
  pthread_mutex_lock(&m);
  *all += 0x100;
  w.half.high++;
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  union word local = { 7 };
  unsigned char *b = &local.byte;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  assert(w.byte == 4);
  w.sign = -1;
  assert(*all % 256 == 255);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  assert(*all == 0x010304ff);
  assert(w.half.low == 0x4ff && w.half.high == 0x103);
  local.whole = 0x1234;
  assert(*b == 0x34);
  *b = 0x35;
  assert(local.half.low == 0x1235 && local.sign == 0x35);
  return 0;
}
