/* Runs a program many times, with the invariants of a proof before its statements.
 *
 * The program is compiled with instrumentation that calls a function before each access to memory (what -fsanitize=thread puts
 * there); its calls of pthread functions come here as well (--wrap of the linker). Each of these is an event. One thread runs at
 * a time, and at an event chance says who goes on: turns.h. blocking.h has the calls that may have to wait.
 *
 * Before statements stand macros (checks.h) that ask relyant_next which of the invariants of the statement are the thread's, and
 * tell relyant_said whether they hold. In between nothing is an event. Then others may have their turn, and it is asked again.
 *
 * Each run is a process. Its seed gives all that is random, so that a run can be had again.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A kind of thread, by its start routine and place of creation. */
struct template {
    const char *name;
    int many;    /* there may be several threads of it */
    int initial; /* it runs from the start */
    int entry;   /* location of a thread that has not been created; -1: that is not known */
};
/* A thread of template `by` creates one of template `new`. */
struct creation {
    int by, line, new, depth;
    const int *calls;
};
/* What is known before a statement in a copy of its function: the one for these calls around it, outermost first. */
struct copy {
    int template, known;
    const char *text;
    int depth;
    const int *calls;
    int places;  /* locations that it may be at */
    const int *at;
};
/* Before a statement: its copies. */
struct check {
    int first, count, line;
};
#include "tables.h"
/* which defines: templates[], creations[], copies[], checks[], CHECKS, STATEMENTS (steps are whole statements), ASSERTS (the
   program's assertions were proved), STARTS(X) */

#define FRAMES
#define WANTED(type, symbol) ((type) == STT_FUNC && !strncmp(symbol, "__VERIFIER_atomic_", 18))
#include "executable.h"

/* ---- a thread ---- */

enum { THREADS = 128, DEEPEST = 64 };

struct thread {
    int number;                 /* by order of creation, main is 0 */
    uint64_t templates;         /* those that it may be of; none: it is not known */
    pthread_t handle;
    volatile int ended;
    volatile int turn;          /* futex: it is to go on */
    volatile unsigned waits;    /* what `progress` was when it found that it cannot go on; 0: it can */
    int priority;
    int depth, calls[DEEPEST];  /* lines of the calls that it is in; -1: not known; the first is that of its start routine */
    int atomic;                 /* sections that nobody interrupts, one inside of the other */
    unsigned section;           /* events in the outermost one */
    int quiet;                  /* its accesses are those of an invariant */
    const struct site *where;   /* its last event */
    void *volatile waits_on;    /* a condition variable */
    volatile int woken;
    /* the check that it is in */
    int check, copy, round, any, holds, unsure;
    uint64_t seen;              /* templates that have a copy there */
    const struct copy *before;  /* the only one of these, while it has done nothing of the statement */
    int assumed, again;         /* the condition of an assumption may be asked again; has to be */
};
static struct thread threads[THREADS];
static volatile int thread_count;
static __thread struct thread *self;

/* ---- what all runs share ---- */

enum end { ENDED, STOPPED, STUCK, ASSUMED, UNDEFINED, FAILED, KINDS };
struct shared {
    unsigned long evaluations, runs, ends[KINDS];
    unsigned long seed;        /* of the run that failed */
    char said[2000];
    unsigned char reached[CHECKS + 1];
};
static struct shared *shared;
static unsigned long seed;
static unsigned step, most_steps = 3000;

void __real__exit(int) __attribute__((noreturn));

static void end_run(enum end how) {
    shared->ends[how]++;
    __real__exit(how == FAILED);
}

static void say_thread(char *out, size_t size) {
    int one = -1;
    for (unsigned i = 0; i < sizeof templates / sizeof *templates && i < 64; i++)
        if (self->templates >> i & 1) one = one < 0 ? (int)i : -2;
    snprintf(out, size, "thread %d%s%s", self->number, one >= 0 ? " " : "", one >= 0 ? templates[one].name : "");
}

static int told; /* how much of what fails has been written */

static void tell(const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (told < (int)sizeof shared->said - 1) told += vsnprintf(shared->said + told, sizeof shared->said - told, format, args);
    va_end(args);
}

static void fail(void) {
    shared->seed = seed;
    if (told > (int)sizeof shared->said - 1) shared->said[sizeof shared->said - 2] = '\n';
    say("relyant: ");
    syscall(SYS_write, 2, shared->said, strlen(shared->said));
    say("\nrelyant: step %u; again with --seed %lu --runs 1\n", step, seed);
    end_run(FAILED);
}

#include "turns.h"

#define EVENT(kind, address, size, call) event(site_of(__builtin_return_address(0)))
/* accesses.h asks what a weak exchange does in a run that is given; none is. */
#define STEPS 0
#define HELD 2
#define LEAKS 0
static const struct step {
    int thread;
    char kind, flags;
} steps[1];
static int reads_expected(const struct site *where) { return (void)where, 1; }
#include "accesses.h"

/* ---- calls that the thread is in ---- */

static int is_atomic(const void *pc) {
    int low = 0, high = symbol_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (symbols[middle].start <= (uintptr_t)pc) low = middle + 1; else high = middle;
    }
    return low && (uintptr_t)pc < symbols[low - 1].start + symbols[low - 1].size;
}
void __tsan_func_entry(void *pc) {
    if (!self) return;
    const struct site *where = site_of(pc);
    if (self->depth < DEEPEST) self->calls[self->depth] = where ? where->line : -1;
    self->depth++;
    if (is_atomic(__builtin_return_address(0))) begin_atomic(where);
}
void __tsan_func_exit(void) {
    if (!self) return;
    self->depth--;
    if (is_atomic(__builtin_return_address(0))) end_atomic();
}
static int is_here(int depth, const int *calls) {
    if (self->depth - 1 != depth || depth >= DEEPEST) return 0;
    for (int i = 0; i < depth; i++)
        if (calls[i] != self->calls[i + 1]) return 0;
    return 1;
}

/* ---- invariants ---- */

/* The next copy whose invariant is to be told, from one on; -1: none. */
static int next_copy(const struct check *c, int from) {
    for (int i = from; i < c->count; i++) {
        const struct copy *k = &copies[c->first + i];
        if (!(self->templates >> k->template & 1) || !is_here(k->depth, k->calls)) continue;
        self->seen |= (uint64_t)1 << k->template;
        if (k->known) return i;
        self->unsure = 1;
    }
    return -1;
}

/* The copy that the thread is in, if that is certain. */
static const struct copy *only_copy(const struct check *c) {
    int i = next_copy(c, 0);
    return i >= 0 && next_copy(c, i + 1) < 0 && self->seen == self->templates ? &copies[c->first + i] : NULL;
}

static void begin_round(const struct check *c) {
    self->any = self->holds = self->unsure = 0;
    self->seen = 0;
    self->quiet = 1;
    self->copy = next_copy(c, 0);
}

/* What an invariant fails with: values are told next. */
static int does_not_hold(const struct check *c) {
    char who[200];
    say_thread(who, sizeof who);
    tell("line %d, %s: ", c->line, who);
    int n = 0;
    for (int i = 0; i < c->count; i++) {
        const struct copy *k = &copies[c->first + i];
        if (k->known && self->templates >> k->template & 1 && is_here(k->depth, k->calls))
            tell("%s%s", n++ ? " || " : "", k->text);
    }
    tell(" does not hold");
    self->round = 2;
    return c->count; /* the values */
}

/* Which invariant of a check is to be told next: the number of a copy, that of all to have values, -1 for none. */
int relyant_next(int number) {
    const struct check *c = &checks[number];
    if (!self) return -1;
    if (!self->check) {
        self->check = number + 1;
        self->round = 0;
        begin_round(c);
        if (self->copy >= 0) return self->copy;
    }
    for (;;) {
        if (self->round == 2) fail();
        if (self->copy >= 0) {
            self->copy = next_copy(c, self->copy + 1);
            if (self->copy >= 0) return self->copy;
        }
        if (self->any && !self->unsure && self->seen == self->templates) {
            shared->evaluations++;
            shared->reached[number] = 1;
            if (!self->holds) return does_not_hold(c);
        }
        self->quiet = 0;
        if (self->round++ || self->atomic) break;
        self->before = self->unsure ? NULL : only_copy(c);
        pass(1);
        self->before = NULL;
        begin_round(c);
        if (self->copy >= 0) return self->copy;
    }
    self->check = 0;
    return -1;
}
void relyant_said(int holds) {
    self->any = 1;
    self->holds |= holds;
}
void relyant_value(const char *name, __int128 value) {
    if (self->round == 2) tell(", %s = %lld", name, (long long)value);
}
void relyant_step(void) {
    if (self && !self->atomic) pass(1);
}

/* A thread's handle as the proof has it. */
static long long name_of(const struct thread *t) {
    int one = -1, count = 0;
    for (unsigned i = 0; i < sizeof templates / sizeof *templates && i < 64; i++)
        if (t->templates >> i & 1) one = i, count++;
    if (count != 1) self->unsure = 1;
    return count == 1 && !templates[one].many ? one + 1 : 1000 + t->number;
}
long long relyant_me(void) { return name_of(self); }

/* May all other threads of a template be at one of these locations? Of those that are before a statement it is known. */
int relyant_at(int template, int count, const int *places) {
    int any = 0;
    for (int i = 0; i < thread_count; i++) {
        const struct thread *t = &threads[i];
        any |= t->templates >> template & 1;
        if (t == self || t->ended || !t->before || t->before->template != template) continue;
        int may = 0;
        for (int k = 0; k < t->before->places; k++)
            for (int j = 0; j < count; j++) may |= t->before->at[k] == places[j];
        if (!may) return 0;
    }
    const struct template *t = &templates[template];
    if (any || t->many || t->initial || t->entry < 0) return 1;
    for (int j = 0; j < count; j++)
        if (places[j] == t->entry) return 1;
    return 0;
}

#include "blocking.h"

/* ---- runs ---- */

static unsigned long number(const char *name, unsigned long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

static void write_result(void) {
    const char *path = getenv("RELYANT_RESULT");
    FILE *f = path ? fopen(path, "w") : stdout;
    if (!f) return;
    unsigned long reached = 0;
    for (int i = 0; i < CHECKS; i++) reached += shared->reached[i];
    fprintf(f, "{\"runs\":%lu,\"evaluations\":%lu,\"reached\":%lu,\"ended\":%lu,\"stopped\":%lu,\"stuck\":%lu,", shared->runs,
            shared->evaluations, reached, shared->ends[ENDED], shared->ends[STOPPED], shared->ends[STUCK]);
    fprintf(f, "\"assumed\":%lu,\"undefined\":%lu,", shared->ends[ASSUMED], shared->ends[UNDEFINED]);
    if (shared->ends[FAILED]) fprintf(f, "\"failed\":%lu,\"said\":\"", shared->seed);
    else fprintf(f, "\"failed\":null,\"said\":\"");
    for (const char *c = shared->said; *c; c++)
        if (*c == '"' || *c == '\\') fprintf(f, "\\%c", *c);
        else if (*c >= ' ' && *c < 127) fputc(*c, f);
    fprintf(f, "\"}\n");
    fflush(f);
}

/* The first process only has the others run; these come back from here into the program. */
__attribute__((constructor(101))) static void start(void) {
    unsigned long first = number("RELYANT_SEED", 1), runs = number("RELYANT_RUNS", 1);
    most_steps = number("RELYANT_STEPS", most_steps);
    read_executable();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) __real__exit(2);
    for (unsigned long i = 0; i < runs && !shared->ends[FAILED]; i++) {
        pid_t child = fork();
        if (child < 0) __real__exit(2);
        if (!child) {
            seed = first + i;
            alarm(10);
            int nowhere = open("/dev/null", O_RDWR);
            dup2(nowhere, 0);
            if (runs > 1) dup2(nowhere, 1);
            begin_turns();
            return;
        }
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        shared->runs++;
        if (WIFSIGNALED(status)) shared->ends[WTERMSIG(status) == SIGALRM ? STOPPED : UNDEFINED]++;
    }
    write_result();
    __real__exit(shared->ends[FAILED] ? 70 : 0);
}

/* After the program's own destructors. */
__attribute__((destructor(101))) static void at_exit(void) {
    if (self) end_run(ENDED);
}
