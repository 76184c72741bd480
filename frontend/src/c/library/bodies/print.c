/* Formatted output into memory: at most so many bytes, the place of the next one is given back. */
static unsigned long __relyant_put_char(char *to, unsigned long at, unsigned long most, int c) {
  if (at + 1 < most) to[at] = (char)c;
  return at + 1;
}
static unsigned long __relyant_put_text(char *to, unsigned long at, unsigned long most, const char *s) {
  while (*s) {
    if (at + 1 < most) to[at] = *s;
    at++;
    s++;
  }
  return at;
}
static unsigned long __relyant_put_digits(char *to, unsigned long at, unsigned long most, unsigned long value, unsigned long base, int ten) {
  unsigned long n = 1;
  unsigned long rest = value / base;
  unsigned long k;
  while (rest != 0) {
    n++;
    rest = rest / base;
  }
  rest = value;
  k = n;
  while (k > 0) {
    unsigned long d = rest % base;
    k--;
    if (at + k + 1 < most) to[at + k] = (char)(d < 10 ? '0' + d : ten + d - 10);
    rest = rest / base;
  }
  return at + n;
}
static unsigned long __relyant_put_signed(char *to, unsigned long at, unsigned long most, long value) {
  if (value < 0) {
    at = __relyant_put_char(to, at, most, '-');
    return __relyant_put_digits(to, at, most, 0UL - (unsigned long)value, 10, 'a');
  }
  return __relyant_put_digits(to, at, most, (unsigned long)value, 10, 'a');
}
static unsigned long __relyant_put_some(char *to, unsigned long at, unsigned long most, unsigned long least, unsigned long upto) {
  unsigned long n = 0;
  while (n < upto && (n < least || __relyant_some_bool())) {
    if (at + 1 < most) to[at] = __relyant_some_char();
    at++;
    n++;
  }
  return at;
}
static int __relyant_put_end(char *to, unsigned long at, unsigned long most) {
  if (at < most) to[at] = 0;
  else if (most > 0) to[most - 1] = 0;
  return (int)at;
}
