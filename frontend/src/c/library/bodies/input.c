/* Input, files, time and random numbers. */
static char *__relyant_fgets(char *s, int n) {
  int k = 0;
  if (n <= 0 || __relyant_any_bool()) return 0;
  while (k < n - 1 && (k == 0 || __relyant_any_bool())) {
    char c = __relyant_any_char();
    s[k] = c;
    k++;
    if (c == '\n') break;
  }
  s[k] = 0;
  return s;
}
static long __relyant_getline(char **line, unsigned long *room, void *file) {
  unsigned long k = 0;
  if (__relyant_any_bool()) return -1;
  if (*line == 0) {
    *line = malloc(120);
    *room = 120;
  }
  do {
    char c = __relyant_any_char();
    __VERIFIER_assume(k + 1 < *room);
    (*line)[k] = c;
    k++;
    if (c == '\n') break;
  } while (__relyant_any_bool());
  (*line)[k] = 0;
  return (long)k;
}
static void __relyant_text_into(char *to, unsigned long least, unsigned long most) {
  unsigned long k = 0;
  while (k < most && (k < least || __relyant_any_bool())) {
    to[k] = __relyant_some_char();
    k++;
  }
  to[k] = 0;
}
static void __relyant_some_text_into(char *to, unsigned long most) {
  unsigned long k = 0;
  while (k < most && __relyant_some_bool()) {
    to[k] = __relyant_some_char();
    k++;
  }
  to[k] = 0;
}
static void __relyant_chars_into(char *to, unsigned long n) {
  unsigned long k = 0;
  while (k < n) {
    to[k] = __relyant_any_char();
    k++;
  }
}
static int __relyant_file;
static void *__relyant_fopen(void) { return __relyant_any_bool() ? &__relyant_file : 0; }
static int __relyant_getchar(void) { return __relyant_any_bool() ? -1 : __relyant_any_uchar(); }
static long __relyant_time(long *to) {
  long now = __relyant_any_long();
  __VERIFIER_assume(now >= 0);
  if (to) *to = now;
  return now;
}
static int __relyant_rand_r(unsigned int *seed) {
  unsigned int next = *seed;
  int result;
  next = next * 1103515245 + 12345;
  result = (int)((next / 65536) % 2048);
  next = next * 1103515245 + 12345;
  result = result * 1024 ^ (int)((next / 65536) % 1024);
  next = next * 1103515245 + 12345;
  result = result * 1024 ^ (int)((next / 65536) % 1024);
  *seed = next;
  return result;
}
static int __relyant_gethostname(char *s, unsigned long n) {
  if (__relyant_any_bool()) return -1;
  if (n > 0) __relyant_some_text_into(s, n - 1);
  return 0;
}
static char *__relyant_getcwd(char *s, unsigned long n) {
  if (n == 0 || __relyant_any_bool()) return 0;
  __relyant_some_text_into(s, n - 1);
  return s;
}
static int __relyant_strerror_r(int e, char *s, unsigned long n) {
  if (n > 0) __relyant_some_text_into(s, n - 1);
  return 0;
}
static unsigned long __relyant_strftime(char *s, unsigned long n) {
  unsigned long k = 0;
  if (n == 0 || __relyant_some_bool()) return 0;
  while (k < n - 1 && __relyant_some_bool()) {
    s[k] = __relyant_some_char();
    k++;
  }
  s[k] = 0;
  return k;
}
static int __relyant_pipe(int *ends) {
  if (__relyant_any_bool()) return -1;
  ends[0] = __relyant_some_int();
  ends[1] = __relyant_some_int();
  return 0;
}
static int __relyant_random_r(void *state, int *to) {
  int n = __relyant_any_int();
  __VERIFIER_assume(n >= 0);
  *to = n;
  return 0;
}
extern char *optarg;
extern int optind, opterr, optopt;
static char __relyant_option[17];
static int __relyant_getopt(const char *options) {
  unsigned long n = 0, k = 0;
  char c;
  while (options[n] != 0) n++;
  optind = (int)(__relyant_some_uint() % 1000000u) + 1;
  if (__relyant_any_bool()) return -1;
  optarg = 0;
  if (n == 0 || __relyant_any_bool()) {
    optopt = __relyant_any_uchar();
    return options[0] == ':' && __relyant_any_bool() ? ':' : '?';
  }
  n = __relyant_any_ulong() % n;
  c = options[n];
  __VERIFIER_assume(c != ':' && c != '+' && c != '-');
  if (options[n + 1] == ':' && (options[n + 2] != ':' || __relyant_any_bool())) {
    while (k < 16 && __relyant_any_bool()) {
      char x = __relyant_any_char();
      __VERIFIER_assume(x != 0);
      __relyant_option[k] = x;
      k++;
    }
    __relyant_option[k] = 0;
    optarg = __relyant_option;
  }
  return (unsigned char)c;
}
