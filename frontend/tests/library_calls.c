// Each function of the table is called once; the test of the table reads this file.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <time.h>
#include <sys/time.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/times.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <syslog.h>
#include <locale.h>
#include <netdb.h>
#include <inttypes.h>
#include <math.h>
static void list_vprintf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}
static void list_vfprintf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stdin, format, list);
  va_end(list);
}
static void list_vdprintf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vdprintf(1, format, list);
  va_end(list);
}
static void call_vprintf(void) {
  list_vprintf("%d", 7);
}
static void call_vfprintf(void) {
  list_vfprintf("%d", 7);
}
static void call_vdprintf(void) {
  list_vdprintf("%d", 7);
}
static void call_printf(void) {
  char b0[64] = "12,a";
  printf("%d", 7);
}
static void call_fprintf(void) {
  char b1[64] = "12,a";
  fprintf(stdin, "%d", 7);
}
static void call_dprintf(void) {
  char b1[64] = "12,a";
  dprintf(4, "%d", 7);
}
static void call_syslog(void) {
  char b1[64] = "12,a";
  syslog(4, "%d", 7);
}
static void call_openlog(void) {
  char b0[64] = "12,a";
  openlog(b0, 4, 4);
}
static void call_puts(void) {
  char b0[64] = "12,a";
  puts(b0);
}
static void call_fputs(void) {
  char b0[64] = "12,a";
  fputs(b0, stdin);
}
static void call_fputs_unlocked(void) {
  char b0[64] = "12,a";
  fputs_unlocked(b0, stdin);
}
static void call_perror(void) {
  char b0[64] = "12,a";
  perror(b0);
}
static void call_putchar(void) {
  putchar(4);
}
static void call_putchar_unlocked(void) {
  putchar_unlocked(4);
}
static void call_fputc(void) {
  fputc(4, stdin);
}
static void call_putc(void) {
  putc(4, stdin);
}
static void call_fputc_unlocked(void) {
  fputc_unlocked(4, stdin);
}
static void call_putc_unlocked(void) {
  putc_unlocked(4, stdin);
}
static void call_ungetc(void) {
  ungetc(4, stdin);
}
static void call_write(void) {
  char b1[64];
  write(4, b1, 4);
}
static void call_send(void) {
  char b1[64];
  send(4, b1, 4, 4);
}
static void call_fwrite(void) {
  char b0[64];
  fwrite(b0, 4, 4, stdin);
}
static void call_fwrite_unlocked(void) {
  char b0[64];
  fwrite_unlocked(b0, 4, 4, stdin);
}
static void call_fflush(void) {
  fflush(stdin);
}
static void call_fflush_unlocked(void) {
  fflush_unlocked(stdin);
}
static void call_fclose(void) {
  fclose(stdin);
}
static void call_pclose(void) {
  pclose(stdin);
}
static void call_setbuf(void) {
  setbuf(stdout, 0);
}
static void call_setvbuf(void) {
  setvbuf(stdout, 0, _IONBF, 0);
}
static void call_feof(void) {
  feof(stdin);
}
static void call_ferror(void) {
  ferror(stdin);
}
static void call_feof_unlocked(void) {
  feof_unlocked(stdin);
}
static void call_ferror_unlocked(void) {
  ferror_unlocked(stdin);
}
static void call_clearerr(void) {
  clearerr(stdin);
}
static void call_rewind(void) {
  rewind(stdin);
}
static void call_closelog(void) {
  closelog();
}
static void call_flockfile(void) {
  flockfile(stdin);
}
static void call_funlockfile(void) {
  funlockfile(stdin);
}
static void call_fileno(void) {
  fileno(stdin);
}
static void call_fseek(void) {
  fseek(stdin, 4, 4);
}
static void call_fseeko(void) {
  fseeko(stdin, 4, 4);
}
static void call_ftell(void) {
  ftell(stdin);
}
static void call_ftello(void) {
  ftello(stdin);
}
static void call_getchar(void) {
  getchar();
}
static void call_getc(void) {
  getc(stdin);
}
static void call_fgetc(void) {
  fgetc(stdin);
}
static void call_getchar_unlocked(void) {
  getchar_unlocked();
}
static void call_getc_unlocked(void) {
  getc_unlocked(stdin);
}
static void call_fgetc_unlocked(void) {
  fgetc_unlocked(stdin);
}
static void call_fgets(void) {
  char b0[64] = "12,a";
  fgets(b0, 4, stdin);
}
static void call_fgets_unlocked(void) {
  char b0[64] = "12,a";
  fgets_unlocked(b0, 4, stdin);
}
static void call_read(void) {
  char b1[64];
  read(4, b1, 4);
}
static void call_recv(void) {
  char b1[64];
  recv(4, b1, 4, 4);
}
static void call_fread(void) {
  char b0[64];
  fread(b0, 4, 4, stdin);
}
static void call_fread_unlocked(void) {
  char b0[64];
  fread_unlocked(b0, 4, 4, stdin);
}
static void call_getcwd(void) {
  char b0[64] = "12,a";
  getcwd(b0, 4);
}
static void call_gethostname(void) {
  char b0[64] = "12,a";
  gethostname(b0, 4);
}
static void call_fopen(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  fopen(b0, b1);
}
static void call_fopen64(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  fopen64(b0, b1);
}
static void call_popen(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  popen(b0, b1);
}
static void call_fdopen(void) {
  char b1[64] = "12,a";
  fdopen(4, b1);
}
static void call_tmpfile(void) {
  tmpfile();
}
static void call_open(void) {
  char b0[64] = "12,a";
  open(b0, 4);
}
static void call_open64(void) {
  char b0[64] = "12,a";
  open64(b0, 4);
}
static void call_creat(void) {
  char b0[64] = "12,a";
  creat(b0, 4);
}
static void call_close(void) {
  close(4);
}
static void call_fsync(void) {
  fsync(4);
}
static void call_fdatasync(void) {
  fdatasync(4);
}
static void call_ftruncate(void) {
  ftruncate(4, 4);
}
static void call_fchmod(void) {
  fchmod(4, 4);
}
static void call_fchdir(void) {
  fchdir(4);
}
static void call_dup(void) {
  dup(4);
}
static void call_dup2(void) {
  dup2(4, 4);
}
static void call_lseek(void) {
  lseek(4, 4, 4);
}
static void call_lseek64(void) {
  lseek64(4, 4, 4);
}
static void call_unlink(void) {
  char b0[64] = "12,a";
  unlink(b0);
}
static void call_rmdir(void) {
  char b0[64] = "12,a";
  rmdir(b0);
}
static void call_mkdir(void) {
  char b0[64] = "12,a";
  mkdir(b0, 4);
}
static void call_chmod(void) {
  char b0[64] = "12,a";
  chmod(b0, 4);
}
static void call_chdir(void) {
  char b0[64] = "12,a";
  chdir(b0);
}
static void call_access(void) {
  char b0[64] = "12,a";
  access(b0, 4);
}
static void call_remove(void) {
  char b0[64] = "12,a";
  remove(b0);
}
static void call_truncate(void) {
  char b0[64] = "12,a";
  truncate(b0, 4);
}
static void call_mkfifo(void) {
  char b0[64] = "12,a";
  mkfifo(b0, 4);
}
static void call_rename(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  rename(b0, b1);
}
static void call_link(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  link(b0, b1);
}
static void call_symlink(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  symlink(b0, b1);
}
static void call_isatty(void) {
  isatty(4);
}
static void call_pipe(void) {
  int ends[2];
  pipe(ends);
}
static void call_system(void) {
  char b0[64] = "12,a";
  system(b0);
}
static void call_strtol(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtol(b0, &p1, 4);
}
static void call_strtoll(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoll(b0, &p1, 4);
}
static void call_strtoimax(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoimax(b0, &p1, 4);
}
static void call_strtoq(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoq(b0, &p1, 4);
}
static void call___isoc23_strtol(void) {
  extern long __isoc23_strtol(const char *, char **, int);
  __isoc23_strtol("1", 0, 10);
}
static void call___isoc23_strtoll(void) {
  extern long long __isoc23_strtoll(const char *, char **, int);
  __isoc23_strtoll("1", 0, 10);
}
static void call___isoc23_strtoimax(void) {
  extern long __isoc23_strtoimax(const char *, char **, int);
  __isoc23_strtoimax("1", 0, 10);
}
static void call_strtoul(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoul(b0, &p1, 4);
}
static void call_strtoull(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoull(b0, &p1, 4);
}
static void call_strtoumax(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtoumax(b0, &p1, 4);
}
static void call_strtouq(void) {
  char b0[64] = "12,a";
  char *p1 = 0;
  strtouq(b0, &p1, 4);
}
static void call___isoc23_strtoul(void) {
  extern unsigned long __isoc23_strtoul(const char *, char **, int);
  __isoc23_strtoul("1", 0, 10);
}
static void call___isoc23_strtoull(void) {
  extern unsigned long long __isoc23_strtoull(const char *, char **, int);
  __isoc23_strtoull("1", 0, 10);
}
static void call___isoc23_strtoumax(void) {
  extern unsigned long __isoc23_strtoumax(const char *, char **, int);
  __isoc23_strtoumax("1", 0, 10);
}
static void call_atoi(void) {
  char b0[64] = "12,a";
  atoi(b0);
}
static void call_atol(void) {
  char b0[64] = "12,a";
  atol(b0);
}
static void call_atoll(void) {
  char b0[64] = "12,a";
  atoll(b0);
}
static void call_atof(void) {
  char b0[64] = "12,a";
  atof(b0);
}
static void call_strtod(void) {
  strtod("1.5", 0);
}
static void call_strtof(void) {
  strtof("1.5", 0);
}
static void call_strcasecmp(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strcasecmp(b0, b1);
}
static void call_strncasecmp(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strncasecmp(b0, b1, 4);
}
static void call_strrchr(void) {
  char b0[64] = "12,a";
  strrchr(b0, 4);
}
static void call_rindex(void) {
  char b0[64] = "12,a";
  rindex(b0, 4);
}
static void call_strchrnul(void) {
  char b0[64] = "12,a";
  strchrnul(b0, 4);
}
static void call_strspn(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strspn(b0, b1);
}
static void call_strcspn(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strcspn(b0, b1);
}
static void call_strpbrk(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strpbrk(b0, b1);
}
static void call_strstr(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strstr(b0, b1);
}
static void call_memchr(void) {
  char b0[64];
  memchr(b0, 4, 4);
}
static void call_strdup(void) {
  char b0[64] = "12,a";
  strdup(b0);
}
static void call___strdup(void) {
  extern char *__strdup(const char *);
  __strdup("a");
}
static void call_strndup(void) {
  char b0[64] = "12,a";
  strndup(b0, 4);
}
static void call___strndup(void) {
  extern char *__strndup(const char *, unsigned long);
  __strndup("a", 1);
}
static void call_stpcpy(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  stpcpy(b0, b1);
}
static void call_strtok_r(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  char *p2 = 0;
  strtok_r(b0, b1, &p2);
}
static void call___strtok_r(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  char *p2 = 0;
  __strtok_r(b0, b1, &p2);
}
static void call_strtok(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strtok(b0, b1);
}
static void call_strsep(void) {
  char *p0 = 0;
  char b1[64] = "12,a";
  strsep(&p0, b1);
}
static void call_strcoll(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  strcoll(b0, b1);
}
static void call_strerror(void) {
  strerror(4);
}
static void call_gai_strerror(void) {
  gai_strerror(4);
}
static void call_strsignal(void) {
  strsignal(4);
}
static void call_setlocale(void) {
  char b1[64] = "12,a";
  setlocale(4, b1);
}
static void call_ttyname(void) {
  ttyname(4);
}
static void call_strerror_r(void) {
  char b1[64] = "12,a";
  strerror_r(4, b1, 4);
}
static void call_getenv(void) {
  char b0[64] = "12,a";
  getenv(b0);
}
static void call_secure_getenv(void) {
  char b0[64] = "12,a";
  secure_getenv(b0);
}
static void call_setenv(void) {
  char b0[64] = "12,a";
  char b1[64] = "12,a";
  setenv(b0, b1, 4);
}
static void call_unsetenv(void) {
  char b0[64] = "12,a";
  unsetenv(b0);
}
static void call_time(void) {
  time_t o0;
  time(&o0);
}
static void call_gettimeofday(void) {
  struct timeval o0;
  char b1[64];
  gettimeofday(&o0, b1);
}
static void call_clock_gettime(void) {
  struct timespec o1;
  clock_gettime(4, &o1);
}
static void call_clock_getres(void) {
  struct timespec o1;
  clock_getres(4, &o1);
}
static void call_timespec_get(void) {
  struct timespec o0;
  timespec_get(&o0, 4);
}
static void call_localtime_r(void) {
  time_t o0;
  struct tm o1;
  localtime_r(&o0, &o1);
}
static void call_gmtime_r(void) {
  time_t o0;
  struct tm o1;
  gmtime_r(&o0, &o1);
}
static void call_localtime(void) {
  time_t o0;
  localtime(&o0);
}
static void call_gmtime(void) {
  time_t o0;
  gmtime(&o0);
}
static void call_ctime(void) {
  time_t o0;
  ctime(&o0);
}
static void call_asctime(void) {
  struct tm o0;
  asctime(&o0);
}
static void call_mktime(void) {
  struct tm o0;
  mktime(&o0);
}
static void call_timegm(void) {
  struct tm o0;
  timegm(&o0);
}
static void call_strftime(void) {
  char b0[64] = "12,a";
  char b2[64] = "12,a";
  struct tm o3;
  strftime(b0, 4, b2, &o3);
}
static void call_difftime(void) {
  difftime(4, 4);
}
static void call_clock(void) {
  clock();
}
static void call_sleep(void) {
  sleep(4);
}
static void call_usleep(void) {
  usleep(4);
}
static void call_sched_yield(void) {
  sched_yield();
}
static void call_nanosleep(void) {
  struct timespec o0;
  struct timespec o1;
  nanosleep(&o0, &o1);
}
static void call_clock_nanosleep(void) {
  struct timespec o2;
  struct timespec o3;
  clock_nanosleep(4, 4, &o2, &o3);
}
static void call_times(void) {
  struct tms o0;
  times(&o0);
}
static void call_getrusage(void) {
  struct rusage o1;
  getrusage(4, &o1);
}
static void call_getrlimit(void) {
  struct rlimit o1;
  getrlimit(4, &o1);
}
static void call_setrlimit(void) {
  struct rlimit o1;
  setrlimit(4, &o1);
}
static void call_uname(void) {
  struct utsname o0;
  uname(&o0);
}
static void call_stat(void) {
  char b0[64] = "12,a";
  struct stat o1;
  stat(b0, &o1);
}
static void call_lstat(void) {
  char b0[64] = "12,a";
  struct stat o1;
  lstat(b0, &o1);
}
static void call_fstat(void) {
  struct stat o1;
  fstat(4, &o1);
}
static void call_rand(void) {
  rand();
}
static void call_random(void) {
  random();
}
static void call_lrand48(void) {
  lrand48();
}
static void call_mrand48(void) {
  mrand48();
}
static void call_getline(void) {
  char *line = 0;
  size_t room = 0;
  getline(&line, &room, stdin);
}
static void call_random_r(void) {
  static struct random_data state;
  int n;
  random_r(&state, &n);
}
static void call_srandom_r(void) {
  static struct random_data state;
  srandom_r(1, &state);
}
static void call_initstate_r(void) {
  static struct random_data state;
  char room[32];
  initstate_r(1, room, sizeof room, &state);
}
static void call_getopt(void) {
  static char *words[2];
  getopt(1, words, "a:");
}
static void call_rand_r(void) {
  unsigned int o0;
  rand_r(&o0);
}
static void call_srand(void) {
  srand(4);
}
static void call_srandom(void) {
  srandom(4);
}
static void call_srand48(void) {
  srand48(4);
}
static void call_drand48(void) {
  drand48();
}
static void call_getpid(void) {
  getpid();
}
static void call_gettid(void) {
  gettid();
}
static void call_getpgrp(void) {
  getpgrp();
}
static void call_getppid(void) {
  getppid();
}
static void call_getuid(void) {
  getuid();
}
static void call_geteuid(void) {
  geteuid();
}
static void call_getgid(void) {
  getgid();
}
static void call_getegid(void) {
  getegid();
}
static void call_sysconf(void) {
  sysconf(4);
}
static void call_get_nprocs(void) {
  get_nprocs();
}
static void call_get_nprocs_conf(void) {
  get_nprocs_conf();
}
static void call_getpagesize(void) {
  getpagesize();
}
static void call_sched_getcpu(void) {
  sched_getcpu();
}
static void call_umask(void) {
  umask(4);
}
static void call_getentropy(void) {
  char b0[64];
  getentropy(b0, 4);
}
static void call_getrandom(void) {
  char b0[64];
  getrandom(b0, 4, 4);
}
static void call_floor(void) {
  floor(4);
}
static void call_floorf(void) {
  floorf(4);
}
static void call_ceil(void) {
  ceil(4);
}
static void call_ceilf(void) {
  ceilf(4);
}
static void call_sqrt(void) {
  sqrt(4);
}
static void call_sqrtf(void) {
  sqrtf(4);
}
static void call_sin(void) {
  sin(4);
}
static void call_sinf(void) {
  sinf(4);
}
static void call_cos(void) {
  cos(4);
}
static void call_cosf(void) {
  cosf(4);
}
static void call_tan(void) {
  tan(4);
}
static void call_tanf(void) {
  tanf(4);
}
static void call_asin(void) {
  asin(4);
}
static void call_asinf(void) {
  asinf(4);
}
static void call_acos(void) {
  acos(4);
}
static void call_acosf(void) {
  acosf(4);
}
static void call_atan(void) {
  atan(4);
}
static void call_atanf(void) {
  atanf(4);
}
static void call_sinh(void) {
  sinh(4);
}
static void call_sinhf(void) {
  sinhf(4);
}
static void call_cosh(void) {
  cosh(4);
}
static void call_coshf(void) {
  coshf(4);
}
static void call_tanh(void) {
  tanh(4);
}
static void call_tanhf(void) {
  tanhf(4);
}
static void call_exp(void) {
  exp(4);
}
static void call_expf(void) {
  expf(4);
}
static void call_exp2(void) {
  exp2(4);
}
static void call_exp2f(void) {
  exp2f(4);
}
static void call_expm1(void) {
  expm1(4);
}
static void call_expm1f(void) {
  expm1f(4);
}
static void call_log(void) {
  log(4);
}
static void call_logf(void) {
  logf(4);
}
static void call_log2(void) {
  log2(4);
}
static void call_log2f(void) {
  log2f(4);
}
static void call_log10(void) {
  log10(4);
}
static void call_log10f(void) {
  log10f(4);
}
static void call_log1p(void) {
  log1p(4);
}
static void call_log1pf(void) {
  log1pf(4);
}
static void call_cbrt(void) {
  cbrt(4);
}
static void call_cbrtf(void) {
  cbrtf(4);
}
static void call_trunc(void) {
  trunc(4);
}
static void call_truncf(void) {
  truncf(4);
}
static void call_round(void) {
  round(4);
}
static void call_roundf(void) {
  roundf(4);
}
static void call_rint(void) {
  rint(4);
}
static void call_rintf(void) {
  rintf(4);
}
static void call_nearbyint(void) {
  nearbyint(4);
}
static void call_nearbyintf(void) {
  nearbyintf(4);
}
static void call_erf(void) {
  erf(4);
}
static void call_erff(void) {
  erff(4);
}
static void call_erfc(void) {
  erfc(4);
}
static void call_erfcf(void) {
  erfcf(4);
}
static void call_tgamma(void) {
  tgamma(4);
}
static void call_tgammaf(void) {
  tgammaf(4);
}
static void call_lgamma(void) {
  lgamma(4);
}
static void call_lgammaf(void) {
  lgammaf(4);
}
static void call_lround(void) {
  lround(4);
}
static void call_lroundf(void) {
  lroundf(4);
}
static void call_llround(void) {
  llround(4);
}
static void call_llroundf(void) {
  llroundf(4);
}
static void call_lrint(void) {
  lrint(4);
}
static void call_lrintf(void) {
  lrintf(4);
}
static void call_llrint(void) {
  llrint(4);
}
static void call_llrintf(void) {
  llrintf(4);
}
static void call_logb(void) {
  logb(4);
}
static void call_logbf(void) {
  logbf(4);
}
static void call_ilogb(void) {
  ilogb(4);
}
static void call_ilogbf(void) {
  ilogbf(4);
}
static void call_pow(void) {
  pow(4, 4);
}
static void call_powf(void) {
  powf(4, 4);
}
static void call_hypot(void) {
  hypot(4, 4);
}
static void call_hypotf(void) {
  hypotf(4, 4);
}
static void call_atan2(void) {
  atan2(4, 4);
}
static void call_atan2f(void) {
  atan2f(4, 4);
}
static void call_fmod(void) {
  fmod(4, 4);
}
static void call_fmodf(void) {
  fmodf(4, 4);
}
static void call_remainder(void) {
  remainder(4, 4);
}
static void call_remainderf(void) {
  remainderf(4, 4);
}
static void call_fmin(void) {
  fmin(4, 4);
}
static void call_fminf(void) {
  fminf(4, 4);
}
static void call_fmax(void) {
  fmax(4, 4);
}
static void call_fmaxf(void) {
  fmaxf(4, 4);
}
static void call_fdim(void) {
  fdim(4, 4);
}
static void call_fdimf(void) {
  fdimf(4, 4);
}
static void call_copysign(void) {
  copysign(4, 4);
}
static void call_copysignf(void) {
  copysignf(4, 4);
}
static void call_nextafter(void) {
  nextafter(4, 4);
}
static void call_nextafterf(void) {
  nextafterf(4, 4);
}
static void call_ldexp(void) {
  ldexp(4, 4);
}
static void call_ldexpf(void) {
  ldexpf(4, 4);
}
static void call_scalbn(void) {
  scalbn(4, 4);
}
static void call_fma(void) {
  fma(4, 4, 4);
}
static void call_fmaf(void) {
  fmaf(4, 4, 4);
}
static void call_frexp(void) {
  int e;
  frexp(4, &e);
}
static void call_frexpf(void) {
  int e;
  frexpf(4, &e);
}
static void call_modf(void) {
  double d;
  modf(4, &d);
}
static void call_modff(void) {
  float d;
  modff(4, &d);
}
int main(void) {
  call_vprintf();
  call_vfprintf();
  call_vdprintf();
  call_printf();
  call_fprintf();
  call_dprintf();
  call_syslog();
  call_openlog();
  call_puts();
  call_fputs();
  call_fputs_unlocked();
  call_perror();
  call_putchar();
  call_putchar_unlocked();
  call_fputc();
  call_putc();
  call_fputc_unlocked();
  call_putc_unlocked();
  call_ungetc();
  call_write();
  call_send();
  call_fwrite();
  call_fwrite_unlocked();
  call_fflush();
  call_fflush_unlocked();
  call_fclose();
  call_pclose();
  call_setbuf();
  call_setvbuf();
  call_feof();
  call_ferror();
  call_feof_unlocked();
  call_ferror_unlocked();
  call_clearerr();
  call_rewind();
  call_closelog();
  call_flockfile();
  call_funlockfile();
  call_fileno();
  call_fseek();
  call_fseeko();
  call_ftell();
  call_ftello();
  call_getchar();
  call_getc();
  call_fgetc();
  call_getchar_unlocked();
  call_getc_unlocked();
  call_fgetc_unlocked();
  call_fgets();
  call_fgets_unlocked();
  call_read();
  call_recv();
  call_fread();
  call_fread_unlocked();
  call_getcwd();
  call_gethostname();
  call_fopen();
  call_fopen64();
  call_popen();
  call_fdopen();
  call_tmpfile();
  call_open();
  call_open64();
  call_creat();
  call_close();
  call_fsync();
  call_fdatasync();
  call_ftruncate();
  call_fchmod();
  call_fchdir();
  call_dup();
  call_dup2();
  call_lseek();
  call_lseek64();
  call_unlink();
  call_rmdir();
  call_mkdir();
  call_chmod();
  call_chdir();
  call_access();
  call_remove();
  call_truncate();
  call_mkfifo();
  call_rename();
  call_link();
  call_symlink();
  call_isatty();
  call_pipe();
  call_system();
  call_strtol();
  call_strtoll();
  call_strtoimax();
  call_strtoq();
  call___isoc23_strtol();
  call___isoc23_strtoll();
  call___isoc23_strtoimax();
  call_strtoul();
  call_strtoull();
  call_strtoumax();
  call_strtouq();
  call___isoc23_strtoul();
  call___isoc23_strtoull();
  call___isoc23_strtoumax();
  call_atoi();
  call_atol();
  call_atoll();
  call_atof();
  call_strtod();
  call_strtof();
  call_strcasecmp();
  call_strncasecmp();
  call_strrchr();
  call_rindex();
  call_strchrnul();
  call_strspn();
  call_strcspn();
  call_strpbrk();
  call_strstr();
  call_memchr();
  call_strdup();
  call___strdup();
  call_strndup();
  call___strndup();
  call_stpcpy();
  call_strtok_r();
  call___strtok_r();
  call_strtok();
  call_strsep();
  call_strcoll();
  call_strerror();
  call_gai_strerror();
  call_strsignal();
  call_setlocale();
  call_ttyname();
  call_strerror_r();
  call_getenv();
  call_secure_getenv();
  call_setenv();
  call_unsetenv();
  call_time();
  call_gettimeofday();
  call_clock_gettime();
  call_clock_getres();
  call_timespec_get();
  call_localtime_r();
  call_gmtime_r();
  call_localtime();
  call_gmtime();
  call_ctime();
  call_asctime();
  call_mktime();
  call_timegm();
  call_strftime();
  call_difftime();
  call_clock();
  call_sleep();
  call_usleep();
  call_sched_yield();
  call_nanosleep();
  call_clock_nanosleep();
  call_times();
  call_getrusage();
  call_getrlimit();
  call_setrlimit();
  call_uname();
  call_stat();
  call_lstat();
  call_fstat();
  call_rand();
  call_random();
  call_lrand48();
  call_mrand48();
  call_getline();
  call_random_r();
  call_srandom_r();
  call_initstate_r();
  call_getopt();
  call_rand_r();
  call_srand();
  call_srandom();
  call_srand48();
  call_drand48();
  call_getpid();
  call_gettid();
  call_getpgrp();
  call_getppid();
  call_getuid();
  call_geteuid();
  call_getgid();
  call_getegid();
  call_sysconf();
  call_get_nprocs();
  call_get_nprocs_conf();
  call_getpagesize();
  call_sched_getcpu();
  call_umask();
  call_getentropy();
  call_getrandom();
  call_floor();
  call_floorf();
  call_ceil();
  call_ceilf();
  call_sqrt();
  call_sqrtf();
  call_sin();
  call_sinf();
  call_cos();
  call_cosf();
  call_tan();
  call_tanf();
  call_asin();
  call_asinf();
  call_acos();
  call_acosf();
  call_atan();
  call_atanf();
  call_sinh();
  call_sinhf();
  call_cosh();
  call_coshf();
  call_tanh();
  call_tanhf();
  call_exp();
  call_expf();
  call_exp2();
  call_exp2f();
  call_expm1();
  call_expm1f();
  call_log();
  call_logf();
  call_log2();
  call_log2f();
  call_log10();
  call_log10f();
  call_log1p();
  call_log1pf();
  call_cbrt();
  call_cbrtf();
  call_trunc();
  call_truncf();
  call_round();
  call_roundf();
  call_rint();
  call_rintf();
  call_nearbyint();
  call_nearbyintf();
  call_erf();
  call_erff();
  call_erfc();
  call_erfcf();
  call_tgamma();
  call_tgammaf();
  call_lgamma();
  call_lgammaf();
  call_lround();
  call_lroundf();
  call_llround();
  call_llroundf();
  call_lrint();
  call_lrintf();
  call_llrint();
  call_llrintf();
  call_logb();
  call_logbf();
  call_ilogb();
  call_ilogbf();
  call_pow();
  call_powf();
  call_hypot();
  call_hypotf();
  call_atan2();
  call_atan2f();
  call_fmod();
  call_fmodf();
  call_remainder();
  call_remainderf();
  call_fmin();
  call_fminf();
  call_fmax();
  call_fmaxf();
  call_fdim();
  call_fdimf();
  call_copysign();
  call_copysignf();
  call_nextafter();
  call_nextafterf();
  call_ldexp();
  call_ldexpf();
  call_scalbn();
  call_fma();
  call_fmaf();
  call_frexp();
  call_frexpf();
  call_modf();
  call_modff();
  return 0;
}

/* Devices, as Linux declares them. */
unsigned char inb(unsigned short port);
void call_inb(void) { long v = inb(96); (void)v; }
unsigned char inb_p(unsigned short port);
void call_inb_p(void) { long v = inb_p(96); (void)v; }
unsigned short inw(unsigned short port);
void call_inw(void) { long v = inw(96); (void)v; }
unsigned short inw_p(unsigned short port);
void call_inw_p(void) { long v = inw_p(96); (void)v; }
unsigned int inl(unsigned short port);
void call_inl(void) { long v = inl(96); (void)v; }
unsigned int inl_p(unsigned short port);
void call_inl_p(void) { long v = inl_p(96); (void)v; }
void outb(unsigned char value, unsigned short port);
void call_outb(void) { outb(1, 96); }
void outb_p(unsigned char value, unsigned short port);
void call_outb_p(void) { outb_p(1, 96); }
void outw(unsigned short value, unsigned short port);
void call_outw(void) { outw(1, 96); }
void outw_p(unsigned short value, unsigned short port);
void call_outw_p(void) { outw_p(1, 96); }
void outl(unsigned int value, unsigned short port);
void call_outl(void) { outl(1, 96); }
void outl_p(unsigned int value, unsigned short port);
void call_outl_p(void) { outl_p(1, 96); }
unsigned int ioread8(const volatile void *at);
void call_ioread8(void) { static volatile char device[8]; unsigned long v = ioread8(device); (void)v; }
unsigned char readb(const volatile void *at);
void call_readb(void) { static volatile char device[8]; unsigned long v = readb(device); (void)v; }
unsigned char readb_relaxed(const volatile void *at);
void call_readb_relaxed(void) { static volatile char device[8]; unsigned long v = readb_relaxed(device); (void)v; }
unsigned int ioread16(const volatile void *at);
void call_ioread16(void) { static volatile char device[8]; unsigned long v = ioread16(device); (void)v; }
unsigned short readw(const volatile void *at);
void call_readw(void) { static volatile char device[8]; unsigned long v = readw(device); (void)v; }
unsigned short readw_relaxed(const volatile void *at);
void call_readw_relaxed(void) { static volatile char device[8]; unsigned long v = readw_relaxed(device); (void)v; }
unsigned int ioread32(const volatile void *at);
void call_ioread32(void) { static volatile char device[8]; unsigned long v = ioread32(device); (void)v; }
unsigned int readl(const volatile void *at);
void call_readl(void) { static volatile char device[8]; unsigned long v = readl(device); (void)v; }
unsigned int readl_relaxed(const volatile void *at);
void call_readl_relaxed(void) { static volatile char device[8]; unsigned long v = readl_relaxed(device); (void)v; }
void iowrite8(unsigned char value, volatile void *at);
void call_iowrite8(void) { static volatile char device[8]; iowrite8(1, device); }
void iowrite16(unsigned short value, volatile void *at);
void call_iowrite16(void) { static volatile char device[8]; iowrite16(1, device); }
void iowrite32(unsigned int value, volatile void *at);
void call_iowrite32(void) { static volatile char device[8]; iowrite32(1, device); }
void writeb(unsigned char value, volatile void *at);
void call_writeb(void) { static volatile char device[8]; writeb(1, device); }
void writeb_relaxed(unsigned char value, volatile void *at);
void call_writeb_relaxed(void) { static volatile char device[8]; writeb_relaxed(1, device); }
void writew(unsigned short value, volatile void *at);
void call_writew(void) { static volatile char device[8]; writew(1, device); }
void writew_relaxed(unsigned short value, volatile void *at);
void call_writew_relaxed(void) { static volatile char device[8]; writew_relaxed(1, device); }
void writel(unsigned int value, volatile void *at);
void call_writel(void) { static volatile char device[8]; writel(1, device); }
void writel_relaxed(unsigned int value, volatile void *at);
void call_writel_relaxed(void) { static volatile char device[8]; writel_relaxed(1, device); }
void writeq(unsigned long value, volatile void *at);
void call_writeq(void) { static volatile char device[8]; writeq(1, device); }
void writeq_relaxed(unsigned long value, volatile void *at);
void call_writeq_relaxed(void) { static volatile char device[8]; writeq_relaxed(1, device); }
