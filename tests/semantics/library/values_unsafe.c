// real: yes
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <stdio.h>
#include <errno.h>
#include <limits.h>
#include <ctype.h>
#include <arpa/inet.h>
int main(void) {
  char *end; const char *s = "  -42xyz";
  assert(strtol(s, &end, 10) == -42 && *end == 'x');
  assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z');
  assert(strtoul("077", 0, 0) == 63);
  errno = 0;
  assert(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
  assert(strtol("0x", &end, 16) == 0 && *end == 'x');
  assert(atoi("12") == 12 && atol("-7") == -7);
  assert(strcasecmp("HeLLo", "hello") == 0 && strncasecmp("ABx", "aby", 2) == 0);
  assert(strcasecmp("a", "B") < 0);
  assert(strstr("hello world", "wor") != 0 && strcmp(strstr("hello world", "wor"), "world") == 0);
  assert(strspn("aab", "a") == 2 && strcspn("aab", "b") == 2);
  assert(*strrchr("abcabc", 'b') == 'b' && strlen(strrchr("abcabc", 'b')) == 2);
  char buf[32]; int x = atoi("17");
  int n = sprintf(buf, "n=%d %c %s %x", x, 'q', "zz", 255u);
  assert(n == 12 && strcmp(buf, "n=17 q zz ff") == 0);
  n = snprintf(buf, 4, "%d", 123456);
  assert(n == 6 && strcmp(buf, "123") == 0);
  char t[] = "a,b,,c"; char *rest; int k = 0;
  for (char *w = strtok_r(t, ",", &rest); w; w = strtok_r(0, ",", &rest)) k++;
  assert(k == 3);
  assert(ffs(8) == 4 && htons(1) == 256 && toupper('a') == 'A');
  char *d = strdup("hey");
  assert(strcmp(d, "hey") == 0);
  unsigned seed = 1;
  int r = rand_r(&seed);
  assert(r != 476707713);
  return 0;
}
