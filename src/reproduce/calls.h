/* Calls that are events, for runtime.c: each function here stands in for the one of the library (--wrap). */

/* ---- threads ---- */

int __real_pthread_join(pthread_t, void **);

struct begin {
    void *(*routine)(void *);
    void *argument;
    struct thread *thread;
};

static pthread_key_t last_key; /* its destructor runs after those of the program */
static volatile int keys;      /* the program has some */

static void thread_ends(void *nothing) {
    (void)nothing;
    if (keys && !pthread_getspecific(last_key)) {
        pthread_setspecific(last_key, (void *)1);
        return;
    }
    EVENT('x', 0, 0, "its end");
    lock();
    self->ended = 1;
    self->at = STEPS;
    give_up();
    unlock();
}

/* Destructors are called in rounds while there are values; in the last round all others are done. */
static void round_of_destructors(void *round) {
    pthread_setspecific(last_key, (void *)((intptr_t)round + 1));
    if ((intptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) return;
    thread_ends(NULL);
}
int __real_pthread_key_create(pthread_key_t *, void (*)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (destructor && !keys && !__real_pthread_key_create(&last_key, round_of_destructors)) keys = 1;
    return __real_pthread_key_create(key, destructor);
}

/* What a start routine gets besides its argument is whatever is there. */
static void *start_with(void *(*routine)(void *), void *argument) {
    long long rest[5] = {0};
    for (int i = 0, s; i < 5; i++) {
        if (self->next >= STEPS || steps[self->next].kind != 'p') break;
        s = event((struct event){'p', 0, 0, NULL, "a parameter"});
        if (s >= 0) rest[i] = steps[s].value;
    }
    return ((void *(*)(void *, long long, long long, long long, long long, long long))routine)(
        argument, rest[0], rest[1], rest[2], rest[3], rest[4]);
}

static void *begin(void *data) {
    struct begin b = *(struct begin *)data;
    self = b.thread;
    void *result;
    pthread_cleanup_push(thread_ends, NULL);
    result = start_with(b.routine, b.argument);
    pthread_cleanup_pop(1);
    return result;
}

/* Of main nothing is seen when it has ended. */
void __real_pthread_exit(void *) __attribute__((noreturn));
void __wrap_pthread_exit(void *result) {
    if (self == threads) thread_ends(NULL);
    __real_pthread_exit(result);
}

/* Starts the thread with a number in the run, -1 if it is none of it. */
static int create(int number, pthread_t *handle, const pthread_attr_t *how, void *(*routine)(void *), void *argument) {
    lock();
    if (thread_count == sizeof threads / sizeof *threads) {
        unlock();
        return EAGAIN;
    }
    struct thread *t = &threads[thread_count++];
    t->number = number;
    t->next = t->at = next_of(number, 0);
    if (!free_run) t->parent = self;
    unlock();
    struct begin *b = room(sizeof *b);
    *b = (struct begin){routine, argument, t};
    int failed = __real_pthread_create(handle, how, begin, b);
    lock();
    if (failed) t->parent = NULL, t->ended = 1;
    /* It comes to its first event. */
    while (t->parent && !free_run) pause_for_change();
    unlock();
    return failed;
}
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *how, void *(*routine)(void *), void *argument) {
    int s = EVENT('c', 0, 0, "pthread_create");
    return create(s < 0 ? -1 : (int)steps[s].value, handle, how, routine, argument);
}

#ifdef STARTS
/* Threads that run from the start, in place of main. */
#define START(name) void *name();
STARTS(START)
#undef START
#define START(name) name,
int __wrap_main(void) {
    void *(*const all[])() = {STARTS(START)};
    enum { N = sizeof all / sizeof *all };
    pthread_t handles[N];
    /* Where start values are constrained, the run has a thread that looks at them and creates the others. Else they have the
     * first numbers, and main is none of the run. */
    int creates = THREADS > N && self->next < STEPS;
    if (!creates) self->number = -1, self->next = self->at = STEPS;
    for (int s = self->next; creates && s < STEPS && steps[s].kind == 'u'; s = self->next) {
        for (int i = 0; i < symbol_count; i++)
            if (!symbols[i].local && named(symbols[i].name, steps[s].object)) set((void *)symbols[i].start, symbols[i].size, s);
        event((struct event){'u', 0, steps[s].cell, NULL, "a start value"});
    }
    for (int i = 0; i < N; i++) {
        int s = creates ? event((struct event){'c', 0, 0, NULL, "a thread from the start"}) : -1;
        create(s < 0 ? i : (int)steps[s].value, &handles[i], NULL, (void *(*)(void *))all[i], NULL);
    }
    __wrap_pthread_exit(NULL);
}
#endif

#ifndef STARTS
int __real_main(int, char **, char **);
int __wrap_main(int count, char **words, char **environment) {
    if (WORDS < 0) return __real_main(count, words, environment);
    char **given = room((WORDS + 1) * sizeof *given);
    for (int i = 0; i < WORDS; i++) given[i] = i ? "1" : words[0];
    return __real_main(WORDS, given, environment);
}
#endif

#if defined __x86_64__
/* A statement that a thread of its own runs, with copies of the locals: it goes on where relyant_async was called, on a copy
 * of the frame, with 1 as the result. */
struct fork {
    char *frame;
    size_t size, base; /* where the frame's pointer is in it */
    void *resume;
};
static __thread void *end_of_fork[5];
__attribute__((noinline)) static void *begin_fork(void *data) {
    struct fork *f = data;
    if (__builtin_setjmp(end_of_fork)) return NULL;
    char *frame = __builtin_alloca_with_align(f->size + 16, 128);
    for (size_t i = 0; i < f->size; i++) frame[i] = f->frame[i];
    __asm__ volatile("movq %0, %%rsp\n\tmovq %1, %%rbp\n\tmovl $1, %%eax\n\tjmpq *%2"
                     : : "r"(frame), "c"(frame + f->base), "d"(f->resume) : "rax", "memory");
    __builtin_unreachable();
}
__attribute__((used)) static int fork_here(char *stack, char *base) {
    void *resume = *(void **)stack;
    int s = event((struct event){'c', 0, 0, site_of(resume), "a statement of its own"});
    struct fork *f = room(sizeof *f);
    *f = (struct fork){NULL, base + 16 - (stack + 8), base - (stack + 8), resume};
    f->frame = room(f->size);
    for (size_t i = 0; i < f->size; i++) f->frame[i] = stack[8 + i];
    pthread_t handle;
    create(s < 0 ? -1 : (int)steps[s].value, &handle, NULL, begin_fork, f);
    return 0;
}
int relyant_async(void);
__asm__(".globl relyant_async\nrelyant_async:\n\tmovq %rsp, %rdi\n\tmovq %rbp, %rsi\n\tsubq $8, %rsp\n\t"
        "call fork_here\n\taddq $8, %rsp\n\tret\n");
void relyant_async_end(void) { __builtin_longjmp(end_of_fork, 1); }
#endif

/* C11's threads are those of pthread. */
struct c11 {
    int (*routine)(void *);
    void *argument;
};
static void *begin_c11(void *data) {
    struct c11 c = *(struct c11 *)data;
    return (void *)(intptr_t)c.routine(c.argument);
}
int __wrap_thrd_create(pthread_t *handle, int (*routine)(void *), void *argument) {
    struct c11 *c = room(sizeof *c);
    *c = (struct c11){routine, argument};
    return __wrap_pthread_create(handle, NULL, begin_c11, c) ? 2 : 0;
}
void __wrap_thrd_exit(int result) { __wrap_pthread_exit((void *)(intptr_t)result); }

/* ---- locks and the like ---- */

/* A call that may block, with what the watchdog is to know. */
#define BLOCKS(name, action)                                                                                           \
    ({                                                                                                                 \
        if (self) self->call = name;                                                                                   \
        int r_ = action;                                                                                               \
        if (self) self->call = NULL;                                                                       \
        r_;                                                                                                            \
    })
/* Name, parameters, arguments, what it is about. */
#define CALL(kind, name, parameters, arguments, about)                                                                 \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters {                                                                                     \
        EVENT(kind, about, 0, #name);                                                                                  \
        return BLOCKS(#name, __real_##name arguments);                                                                 \
    }
#define LOCK(type, name) CALL('s', name, (type * m), (m), m)
/* Time does not pass in the run: who cannot have it at once is too late, with a number that says so. */
#define TIMED(type, name, try, late)                                                                                   \
    int __real_##name(type * m, const struct timespec *t);                                                             \
    int __wrap_##name(type * m, const struct timespec *t) {                                                            \
        if (EVENT('s', m, 0, #name) < 0) return BLOCKS(#name, __real_##name(m, t));                                    \
        return __real_##try(m) ? late : 0;                                                                             \
    }
CALL('j', pthread_join, (pthread_t t, void **result), (t, result), 0)
LOCK(pthread_mutex_t, pthread_mutex_lock) LOCK(pthread_mutex_t, pthread_mutex_trylock)
LOCK(pthread_mutex_t, pthread_mutex_unlock) TIMED(pthread_mutex_t, pthread_mutex_timedlock, pthread_mutex_trylock, ETIMEDOUT)
LOCK(pthread_spinlock_t, pthread_spin_lock) LOCK(pthread_spinlock_t, pthread_spin_trylock)
LOCK(pthread_spinlock_t, pthread_spin_unlock)
LOCK(pthread_rwlock_t, pthread_rwlock_rdlock) LOCK(pthread_rwlock_t, pthread_rwlock_wrlock)
LOCK(pthread_rwlock_t, pthread_rwlock_tryrdlock) LOCK(pthread_rwlock_t, pthread_rwlock_trywrlock)
LOCK(pthread_rwlock_t, pthread_rwlock_unlock)
TIMED(pthread_rwlock_t, pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, ETIMEDOUT)
TIMED(pthread_rwlock_t, pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, ETIMEDOUT)
LOCK(sem_t, sem_wait) LOCK(sem_t, sem_trywait) LOCK(sem_t, sem_post)
TIMED(sem_t, sem_timedwait, sem_trywait, (errno = ETIMEDOUT, -1))
CALL('s', sem_getvalue, (sem_t * m, int *v), (m, v), m)
LOCK(pthread_mutex_t, mtx_lock) LOCK(pthread_mutex_t, mtx_trylock) LOCK(pthread_mutex_t, mtx_unlock)
TIMED(pthread_mutex_t, mtx_timedlock, mtx_trylock, 4 /* thrd_timedout */)
CALL('s', pthread_once, (pthread_once_t * o, void (*f)(void)), (o, f), o)
void __real_call_once(pthread_once_t *, void (*)(void));
void __wrap_call_once(pthread_once_t *o, void (*f)(void)) {
    EVENT('s', o, 0, "call_once");
    __real_call_once(o, f);
}

int __real_thrd_join(pthread_t, int *);
int __wrap_thrd_join(pthread_t t, int *result) {
    void *value = NULL;
    EVENT('j', 0, 0, "thrd_join");
    if (BLOCKS("thrd_join", __real_pthread_join(t, &value))) return 2;
    if (result) *result = (int)(intptr_t)value;
    return 0;
}

/* ---- where a thread may be cancelled ---- */

int __real_pthread_cancel(pthread_t);
int __wrap_pthread_cancel(pthread_t t) {
    EVENT('k', 0, 0, "pthread_cancel");
    return __real_pthread_cancel(t);
}
static void may_be_cancelled(const void *pc) {
    if (event((struct event){'k', 0, 0, site_of(pc), "where it may be cancelled"}) >= 0) pthread_testcancel();
}
#define CALLER __builtin_return_address(0)
void __wrap_pthread_testcancel(void) {
    EVENT('k', 0, 0, "pthread_testcancel");
    void __real_pthread_testcancel(void);
    __real_pthread_testcancel();
}

/* ---- condition variables ---- */

int __real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __real_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

/* Unlocks, waits for the step at which the run wakes it up, and locks. When the run is over, it waits as it would. */
static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until, const void *pc) {
    may_be_cancelled(pc);
    struct event e = {'s', (uintptr_t)m, 0, site_of(pc), "pthread_cond_wait"};
    event(e);
    if (!self || free_run) goto real;
    self->woken = 0;
    self->waits_on = c;
    __real_pthread_mutex_unlock(m);
    self->call = e.call;
    event(e);
    self->call = NULL;
    self->waits_on = NULL;
    /* The run may wake up another one than the first. */
    for (int i = 0; i < thread_count && !free_run && !self->woken; i++)
        if (threads[i].waits_on == c && threads[i].woken) threads[i].woken = 0, self->woken = 1;
    BLOCKS("pthread_cond_wait, for the mutex", __real_pthread_mutex_lock(m));
    if (until && !free_run) {
        e = (struct event){'t', 0, 0, site_of(pc), "the outcome of a timed wait"};
        int s = event(e);
        if (s >= 0) return (int)steps[s].value;
    }
    if (!free_run || self->woken) return self->woken || !until ? 0 : ETIMEDOUT;
real:
    if (until) return BLOCKS(e.call, __real_pthread_cond_timedwait(c, m, until));
    return BLOCKS(e.call, __real_pthread_cond_wait(c, m));
}

/* Those who wait in the run are woken. */
static void wake(void *c, int all, const void *pc) {
    event((struct event){'s', (uintptr_t)c, 0, site_of(pc), "pthread_cond_signal"});
    lock();
    for (int i = 0; i < thread_count; i++) {
        if (threads[i].waits_on != c || threads[i].woken) continue;
        threads[i].woken = 1;
        if (!all) break;
    }
    unlock();
}
#define CONDITIONS(name)                                                                                               \
    int __real_##name##_signal(pthread_cond_t *);                                                                      \
    int __real_##name##_broadcast(pthread_cond_t *);                                                                   \
    int __wrap_##name##_signal(pthread_cond_t *c) { wake(c, 0, CALLER); return __real_##name##_signal(c); }            \
    int __wrap_##name##_broadcast(pthread_cond_t *c) { wake(c, 1, CALLER); return __real_##name##_broadcast(c); }      \
    int __wrap_##name##_wait(pthread_cond_t *c, pthread_mutex_t *m) { return wait_on(c, m, NULL, CALLER); }            \
    int __wrap_##name##_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {                   \
        return wait_on(c, m, t, CALLER);                                                                               \
    }
CONDITIONS(pthread_cond)
CONDITIONS(cnd)

/* ---- barriers ---- */

static struct barrier {
    void *address;
    unsigned count, arrived;
    volatile unsigned round;
} barriers[64];

static struct barrier *barrier_at(void *address) {
    for (unsigned i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        if (!barriers[i].address) barriers[i].address = address;
        if (barriers[i].address == address) return &barriers[i];
    }
    say("relyant: too many barriers\n");
    __real__exit(72);
}
int __wrap_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *how, unsigned count) {
    (void)how;
    EVENT('s', b, 0, "pthread_barrier_init");
    barrier_at(b)->count = count;
    return 0;
}
extern void AnnotateHappensBefore(const char *, int, volatile void *) __attribute__((weak));
extern void AnnotateHappensAfter(const char *, int, volatile void *) __attribute__((weak));
int __wrap_pthread_barrier_wait(pthread_barrier_t *b) {
    struct event e = {'s', (uintptr_t)b, 0, site_of(CALLER), "pthread_barrier_wait"};
    event(e);
    if (AnnotateHappensBefore) AnnotateHappensBefore(__FILE__, __LINE__, b);
    lock();
    struct barrier *all = barrier_at(b);
    unsigned round = all->round;
    int last = ++all->arrived >= all->count;
    if (last) {
        all->arrived = 0;
        all->round++;
        changed();
    }
    unlock();
    if (!last) {
        self->call = e.call;
        event(e);
        lock();
        while (all->round == round) pause_for_change();
        unlock();
        self->call = NULL;
    }
    if (AnnotateHappensAfter) AnnotateHappensAfter(__FILE__, __LINE__, b);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- signals ---- */

/* A thread beside those of the program takes the signals when the run has them: the handler runs there. */
static void *signals(void *nothing) {
    (void)nothing;
    for (int s; (s = event((struct event){'g', 0, 0, NULL, "a signal"})) >= 0;)
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), (int)steps[s].value);
    return NULL;
}
#define SETS(type, name, parameters, ...)                                                                              \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        int s = EVENT('c', 0, 0, #name);                                                                               \
        type old = __real_##name(__VA_ARGS__);                                                                         \
        pthread_t handle;                                                                                              \
        if (s >= 0) create((int)steps[s].value, &handle, NULL, signals, NULL);                                         \
        return old;                                                                                                    \
    }
typedef void (*handler)(int);
SETS(handler, signal, (int number, handler h), number, h)
SETS(int, sigaction, (int number, const struct sigaction *new, struct sigaction *old_), number, new, old_)

/* ---- time does not pass ---- */

unsigned __wrap_sleep(unsigned s) { may_be_cancelled(CALLER); (void)s; return 0; }
int __wrap_usleep(unsigned s) { may_be_cancelled(CALLER); (void)s; return 0; }
int __wrap_nanosleep(const struct timespec *s, struct timespec *left) {
    may_be_cancelled(CALLER);
    (void)s, (void)left;
    return 0;
}

/* ---- functions of the library that read and write memory ---- */

#define COPIES(name)                                                                                                   \
    void *__real_##name(void *, const void *, size_t);                                                                 \
    void *__wrap_##name(void *to, const void *from, size_t n) {                                                        \
        EVENT('R', from, n, NULL);                                                                                     \
        EVENT('W', to, n, NULL);                                                                                       \
        return __real_##name(to, from, n);                                                                             \
    }
COPIES(memcpy) COPIES(memmove)
void *__real_memset(void *, int, size_t);
void *__wrap_memset(void *to, int v, size_t n) {
    EVENT('W', to, n, NULL);
    return __real_memset(to, v, n);
}

/* ---- inputs ---- */

static long long input(const char *name, const void *pc) {
    int s = event((struct event){'i', 0, 0, site_of(pc), name});
    return s < 0 ? 0 : steps[s].value;
}
#if defined RACES
/* One of the library is called nevertheless: the race detector knows what it reads and writes. Six words are all registers. */
#define INPUT(name)                                                                                                    \
    long long __real_##name() __attribute__((weak));                                                                   \
    long long __wrap_##name(long a, long b, long c, long d, long e, long f) {                                          \
        long long value = input(#name, CALLER);                                                                        \
        if (__real_##name) __real_##name(a, b, c, d, e, f);                                                            \
        return value;                                                                                                  \
    }
#else
#define INPUT(name) long long __wrap_##name() { return input(#name, CALLER); }
#endif
INPUTS(INPUT)
#include "input.h"
/* A declaration without a value (edits of the source call it). */
void relyant_chosen(unsigned cell, void *object, unsigned long size) {
    int s = event((struct event){'u', 0, cell, NULL, "a declaration"});
    if (s >= 0) set(object, size, s);
}
/* The address of what is read without a value. */
void relyant_seen(void *object) { (void)object; }
/* For functions that are declared only, and whose values the run does not need. */
long long relyant_any(void) { return 0; }
#define ANY(type, name)                                                                                                \
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return input("__VERIFIER_nondet_" #name, CALLER); }
#include "inputs.h"

#define WEAK __attribute__((weak)) void
WEAK __VERIFIER_atomic_begin(void) {}
WEAK __VERIFIER_atomic_end(void) {}
WEAK __CPROVER_atomic_begin(void) {}
WEAK __CPROVER_atomic_end(void) {}
WEAK __CPROVER_fence(const char *kind, ...) { (void)kind; }

/* What is assumed holds in the run; a thread that has no more steps in it may stand here. */
static void assume(int holds, const void *pc) {
    if (holds) return;
    if (self && !free_run && self->next >= STEPS && self->number != FINAL) {
        event((struct event){'-', 0, 0, site_of(pc), "an assumption"});
        self->call = "an assumption that does not hold";
        for (;;) pause();
    }
    end_differently("an assumption does not hold");
}
WEAK __VERIFIER_assume(int holds) { assume(holds, CALLER); }
WEAK __CPROVER_assume(int holds) { assume(holds, CALLER); }

/* ---- the end ---- */

static void fails(const char *what, const void *pc) {
    if (self) self->where = site_of(pc);
    say_end();
    say("relyant: %s by ", what);
    if (self) say_place(self);
    say("\n");
    __real_abort();
}
void relyant_reach_error(void) { fails("reach_error is called", CALLER); }
void relyant_error_label(void) { fails("an error label is reached", CALLER); }
/* At a label that one thread at a time may be at. */
void relyant_exclusive_label(void) {
    if (!self) return;
    lock();
    self->labelled = 1;
    int two = 0;
    for (int i = 0; i < thread_count; i++) two |= &threads[i] != self && threads[i].labelled;
    unlock();
    if (two) fails("a label that another thread is at is reached", CALLER);
}
WEAK reach_error(void) { fails("reach_error is called", CALLER); }
WEAK __VERIFIER_error(void) { fails("__VERIFIER_error is called", CALLER); }
WEAK __VERIFIER_assert(int holds) { if (!holds) fails("__VERIFIER_assert fails", CALLER); }
WEAK assert(int holds) { if (!holds) fails("assert fails", CALLER); }
WEAK __CPROVER_assert(int holds, const char *text) { (void)text; if (!holds) fails("__CPROVER_assert fails", CALLER); }

void __real___assert_fail(const char *, const char *, unsigned, const char *);
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    say_end();
    __real___assert_fail(what, file, line, function);
}
/* Ends of the program that are no failures; only when they are due. */
void __wrap_abort(void) {
    EVENT('h', 0, 0, "abort");
    end_differently("it calls abort");
}
void __wrap__exit(int status) {
    EVENT('h', 0, 0, "_exit");
    end_differently("it ends");
    (void)status;
}
