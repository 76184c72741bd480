/* Strings and numbers in them, as POSIX and glibc have them, in the C locale. */
static int __relyant_lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static int __relyant_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}
static unsigned long __relyant_number(const char *s, char **end, int base, int is_signed) {
  const char *p = s;
  const char *last = s;
  unsigned long value = 0;
  unsigned long most = -1L;
  int minus = 0;
  int large = 0;
  int d;
  if (base < 0 || base == 1 || base > 36) {
    __relyant_errno(22);
    return 0;
  }
  while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
  if (*p == '-') {
    minus = 1;
    p++;
  } else if (*p == '+') {
    p++;
  }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && __relyant_digit(p[2]) < 16) {
    p = p + 2;
    base = 16;
  } else if (base == 0) {
    base = *p == '0' ? 8 : 10;
  }
  if (is_signed) most = most / 2 + (minus ? 1 : 0);
  d = __relyant_digit(*p);
  while (d < base) {
    if (value > most / base || (value == most / base && d > most % base)) large = 1;
    else value = value * base + d;
    p++;
    last = p;
    d = __relyant_digit(*p);
  }
  if (end) *end = (char *)last;
  if (large) {
    __relyant_errno(34);
    return most;
  }
  return minus ? 0UL - value : value;
}
static long __relyant_strtol(const char *s, char **end, int base) { return (long)__relyant_number(s, end, base, 1); }
static unsigned long __relyant_strtoul(const char *s, char **end, int base) { return __relyant_number(s, end, base, 0); }
static int __relyant_atoi(const char *s) { return (int)(long)__relyant_number(s, 0, 10, 1); }
static long __relyant_atol(const char *s) { return (long)__relyant_number(s, 0, 10, 1); }
static int __relyant_strcasecmp(const char *a, const char *b) {
  while (*a && __relyant_lower(*a) == __relyant_lower(*b)) {
    a++;
    b++;
  }
  return __relyant_lower((unsigned char)*a) - __relyant_lower((unsigned char)*b);
}
static int __relyant_strncasecmp(const char *a, const char *b, unsigned long n) {
  int d = 0;
  while (n > 0 && d == 0) {
    d = __relyant_lower((unsigned char)*a) - __relyant_lower((unsigned char)*b);
    if (*a == 0) return d;
    a++;
    b++;
    n--;
  }
  return d;
}
static char *__relyant_strrchr(const char *s, int c) {
  const char *found = 0;
  char wanted = (char)c;
  for (;;) {
    if (*s == wanted) found = s;
    if (*s == 0) return (char *)found;
    s++;
  }
}
static char *__relyant_strchrnul(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return (char *)s;
}
static int __relyant_among(char c, const char *set) {
  while (*set) {
    if (*set == c) return 1;
    set++;
  }
  return 0;
}
static unsigned long __relyant_strspn(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && __relyant_among(s[n], set)) n++;
  return n;
}
static unsigned long __relyant_strcspn(const char *s, const char *set) {
  unsigned long n = 0;
  while (s[n] && !__relyant_among(s[n], set)) n++;
  return n;
}
static char *__relyant_strpbrk(const char *s, const char *set) {
  while (*s && !__relyant_among(*s, set)) s++;
  return *s ? (char *)s : 0;
}
static char *__relyant_strstr(const char *s, const char *wanted) {
  for (;;) {
    unsigned long k = 0;
    while (wanted[k] && s[k] == wanted[k]) k++;
    if (wanted[k] == 0) return (char *)s;
    if (*s == 0) return 0;
    s++;
  }
}
static void *__relyant_memchr(const char *s, int c, unsigned long n) {
  while (n > 0) {
    if (*s == (char)c) return (void *)s;
    s++;
    n--;
  }
  return 0;
}
static char *__relyant_strdup(const char *s) {
  char *copy = malloc(strlen(s) + 1);
  unsigned long k = 0;
  while (s[k]) {
    copy[k] = s[k];
    k++;
  }
  copy[k] = 0;
  return copy;
}
static char *__relyant_strndup(const char *s, unsigned long n) {
  unsigned long k = 0;
  unsigned long length = strnlen(s, n);
  char *copy = malloc(length + 1);
  while (k < length) {
    copy[k] = s[k];
    k++;
  }
  copy[k] = 0;
  return copy;
}
static char *__relyant_stpcpy(char *to, const char *s) {
  while (*s) {
    *to = *s;
    to++;
    s++;
  }
  *to = 0;
  return to;
}
static char *__relyant_strtok_r(char *s, const char *set, char **rest) {
  char *start;
  if (s == 0) s = *rest;
  if (s == 0) return 0;
  while (*s && __relyant_among(*s, set)) s++;
  if (*s == 0) {
    *rest = s;
    return 0;
  }
  start = s;
  while (*s && !__relyant_among(*s, set)) s++;
  if (*s) {
    *s = 0;
    s++;
  }
  *rest = s;
  return start;
}
static char *__relyant_strtok_rest;
static char *__relyant_strtok(char *s, const char *set) { return __relyant_strtok_r(s, set, &__relyant_strtok_rest); }
static char *__relyant_strsep(char **text, const char *set) {
  char *start = *text;
  char *s = start;
  if (s == 0) return 0;
  while (*s && !__relyant_among(*s, set)) s++;
  if (*s) {
    *s = 0;
    *text = s + 1;
  } else {
    *text = 0;
  }
  return start;
}
