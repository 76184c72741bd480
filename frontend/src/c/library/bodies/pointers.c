/* Library functions whose address is taken. */
static void __relyant_at_free(void *p) { free(p); }
static void *__relyant_at_malloc(unsigned long n) { return malloc(n); }
static void *__relyant_at_calloc(unsigned long n, unsigned long size) { return calloc(n, size); }
static void __relyant_at_exit(int status) { exit(status); }
static void __relyant_at_abort(void) { abort(); }
static int __relyant_at_puts(const char *s) { return puts(s); }
static int __relyant_at_putchar(int c) { return putchar(c); }
static int __relyant_at_abs(int x) { return abs(x); }
static long __relyant_at_labs(long x) { return labs(x); }
static int __relyant_at_toupper(int c) { return toupper(c); }
static int __relyant_at_tolower(int c) { return tolower(c); }
static int __relyant_at_isdigit(int c) { return isdigit(c); }
static int __relyant_at_isalpha(int c) { return isalpha(c); }
static int __relyant_at_isalnum(int c) { return isalnum(c); }
static int __relyant_at_isspace(int c) { return isspace(c); }
static int __relyant_at_isupper(int c) { return isupper(c); }
static int __relyant_at_islower(int c) { return islower(c); }
static int __relyant_at_isxdigit(int c) { return isxdigit(c); }
static int __relyant_at_ispunct(int c) { return ispunct(c); }
static unsigned long __relyant_at_strlen(const char *s) { return strlen(s); }
static int __relyant_at_strcmp(const char *a, const char *b) { return strcmp(a, b); }
static int __relyant_at_strncmp(const char *a, const char *b, unsigned long n) { return strncmp(a, b, n); }
static char *__relyant_at_strcpy(char *to, const char *s) { return strcpy(to, s); }
static int __relyant_at_rand(void) { return rand(); }
static unsigned int __relyant_at_sleep(unsigned int n) { return sleep(n); }
