/* Calls that may have to wait, and what else of the library is not as it is, for observe.c: each function here stands in for the
 * one of the library (--wrap). Nobody waits in the library: who cannot go on gives the turn away. */

#define CALLER site_of(__builtin_return_address(0))

/* ---- threads ---- */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
void __real_pthread_exit(void *) __attribute__((noreturn));

struct begin {
    void *(*routine)(void *);
    void *argument;
    struct thread *thread;
};

static void thread_ends(void *nothing) {
    (void)nothing;
    self->ended = 1;
    progress++;
    struct thread *next = chosen();
    if (!next) end_run(STUCK);
    give_turn(next);
}

static void *begin(void *data) {
    struct begin b = *(struct begin *)data;
    self = b.thread;
    wait_for_turn(self);
    void *result;
    pthread_cleanup_push(thread_ends, NULL);
    result = b.routine(b.argument);
    pthread_cleanup_pop(1);
    return result;
}

void __wrap_pthread_exit(void *result) {
    if (self == threads) {
        /* The program ends with its last thread. */
        int others = 0;
        for (int i = 1; i < thread_count; i++) others |= !threads[i].ended;
        if (!others) end_run(ENDED);
        self->ended = 1;
        progress++;
        turn_over();
        for (;;) pause();
    }
    __real_pthread_exit(result);
}

static int create(uint64_t mask, pthread_t *handle, const pthread_attr_t *how, void *(*routine)(void *), void *argument) {
    if (thread_count == THREADS) end_run(STOPPED);
    struct thread *t = &threads[thread_count];
    *t = (struct thread){.number = thread_count, .templates = mask, .priority = below(1 << 20)};
    struct begin *b = room(sizeof *b);
    *b = (struct begin){routine, argument, t};
    int failed = __real_pthread_create(handle, how, begin, b);
    if (failed) end_run(STOPPED);
    t->handle = *handle;
    thread_count++;
    *handle = name_of(t);
    return 0;
}
/* Which templates a thread may be of that is created at a line. */
static uint64_t created(const struct site *where) {
    uint64_t out = 0;
    for (const struct creation *c = creations; c->by >= 0; c++)
        if (where && c->line == where->line && self->templates >> c->by & 1 && is_here(c->depth, c->calls))
            out |= (uint64_t)1 << c->new;
    return out;
}
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *how, void *(*routine)(void *), void *argument) {
    event(CALLER);
    pthread_t unused;
    return create(created(CALLER), handle ? handle : &unused, how, routine, argument);
}

#ifdef STARTS
/* Threads that run from the start, in place of main. */
#define START(name) void *name();
STARTS(START)
#undef START
#define START(name) name,
int __wrap_main(void) {
    void *(*const all[])() = {STARTS(START)};
    enum { N = sizeof all / sizeof *all, KINDS_OF = sizeof templates / sizeof *templates };
    pthread_t handles[N];
    for (int i = 0, t = 0; i < N; i++, t++) {
        while (t < KINDS_OF && !templates[t].initial) t++;
        uint64_t mask = t < KINDS_OF && t < 64 ? (uint64_t)1 << t : 0;
        create(mask, &handles[i], NULL, (void *(*)(void *))all[i], NULL);
    }
    __wrap_pthread_exit(NULL);
}
#endif

/* Handles are the numbers that the proof has for threads. */
static struct thread *thread_of(pthread_t handle) {
    for (int i = 0; i < thread_count; i++)
        if ((pthread_t)name_of(&threads[i]) == handle) return &threads[i];
    return NULL;
}
pthread_t __wrap_pthread_self(void) { return name_of(self); }
pthread_t __wrap_thrd_current(void) { return name_of(self); }
int __real_pthread_detach(pthread_t);
int __wrap_pthread_detach(pthread_t handle) {
    struct thread *t = thread_of(handle);
    event(CALLER);
    return t ? __real_pthread_detach(t->handle) : ESRCH;
}
int __wrap_thrd_detach(pthread_t handle) { return __wrap_pthread_detach(handle) ? 2 : 0; }
int __wrap_pthread_join(pthread_t handle, void **result) {
    struct thread *t = thread_of(handle);
    event(CALLER);
    while (t && t != self && !t->ended) wait_for_change();
    return t ? __real_pthread_join(t->handle, result) : ESRCH;
}

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
    event(CALLER);
    struct c11 *c = room(sizeof *c);
    *c = (struct c11){routine, argument};
    return create(created(CALLER), handle, NULL, begin_c11, c) ? 2 : 0;
}
void __wrap_thrd_exit(int result) { __wrap_pthread_exit((void *)(intptr_t)result); }
int __wrap_thrd_join(pthread_t handle, int *result) {
    void *value = NULL;
    if (__wrap_pthread_join(handle, &value)) return 2;
    if (result) *result = (int)(intptr_t)value;
    return 0;
}

/* ---- mutexes: who has them is asked by invariants ---- */

static struct mutex {
    const volatile void *address;
    struct thread *owner;
    int times;
} mutexes[256];

static struct mutex *mutex_at(const volatile void *address) {
    for (unsigned i = 0; i < sizeof mutexes / sizeof *mutexes; i++) {
        if (!mutexes[i].address) mutexes[i].address = address;
        if (mutexes[i].address == address) return &mutexes[i];
    }
    end_run(STOPPED);
    return NULL;
}
long long relyant_owner(const volatile void *address) {
    const struct thread *owner = mutex_at(address)->owner;
    return owner ? name_of(owner) : 0;
}
static void taken(void *m) {
    struct mutex *x = mutex_at(m);
    x->owner = self;
    x->times++;
}
static void released(void *m) {
    struct mutex *x = mutex_at(m);
    if (x->times && !--x->times) x->owner = NULL;
}

int __real_pthread_mutex_lock(pthread_mutex_t *);
int __real_pthread_mutex_trylock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __real_pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);

static int lock(pthread_mutex_t *m, int may_give_up) {
    int again = self && mutex_at(m)->owner == self && m->__data.__kind & 3;
    for (;;) {
        /* One of another kind says what it makes of its owner. */
        int r = again ? __real_pthread_mutex_lock(m) : __real_pthread_mutex_trylock(m);
        if (!r) taken(m);
        if (r != EBUSY || !self) return r;
        if (may_give_up && below(2)) return ETIMEDOUT;
        wait_for_change();
    }
}
int __wrap_pthread_mutex_lock(pthread_mutex_t *m) { event(CALLER); return lock(m, 0); }
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) { (void)t; event(CALLER); return lock(m, 1); }
int __wrap_pthread_mutex_trylock(pthread_mutex_t *m) {
    event(CALLER);
    int r = __real_pthread_mutex_trylock(m);
    if (!r) taken(m);
    return r;
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m) {
    event(CALLER);
    /* A normal mutex that another thread has, or none: POSIX leaves that undefined. */
    if (self && mutex_at(m)->owner != self && !(m->__data.__kind & 3)) end_run(UNDEFINED);
    int r = __real_pthread_mutex_unlock(m);
    if (!r) released(m);
    return r;
}
static int c11(int r) { return !r ? 0 : r == EBUSY ? 1 : r == ETIMEDOUT ? 4 : 2; }
int __wrap_mtx_lock(pthread_mutex_t *m) { return c11(__wrap_pthread_mutex_lock(m)); }
int __wrap_mtx_trylock(pthread_mutex_t *m) { return c11(__wrap_pthread_mutex_trylock(m)); }
int __wrap_mtx_timedlock(pthread_mutex_t *m, const struct timespec *t) { return c11(__wrap_pthread_mutex_timedlock(m, t)); }
int __wrap_mtx_unlock(pthread_mutex_t *m) { return c11(__wrap_pthread_mutex_unlock(m)); }

/* ---- other locks, by the call that does not wait; it says so with this number, or in errno ---- */

#define WAITS(name, tries, type, busy)                                                                                 \
    int __real_##tries(type *);                                                                                        \
    int __wrap_##name(type *m) {                                                                                       \
        event(CALLER);                                                                                                 \
        for (;;) {                                                                                                     \
            int r = __real_##tries(m);                                                                                 \
            if (!(busy) || !self) return r;                                                                            \
            wait_for_change();                                                                                         \
        }                                                                                                              \
    }
#define TIMED(name, tries, type, busy, over)                                                                           \
    int __wrap_##name(type *m, const struct timespec *t) {                                                             \
        (void)t;                                                                                                       \
        event(CALLER);                                                                                                 \
        for (;;) {                                                                                                     \
            int r = __real_##tries(m);                                                                                 \
            if (!(busy) || !self) return r;                                                                            \
            if (below(2)) return over;                                                                                 \
            wait_for_change();                                                                                         \
        }                                                                                                              \
    }
#define AT_ONCE(name, type)                                                                                            \
    int __real_##name(type *);                                                                                         \
    int __wrap_##name(type *m) { event(CALLER); return __real_##name(m); }
WAITS(pthread_spin_lock, pthread_spin_trylock, pthread_spinlock_t, r == EBUSY)
WAITS(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t, r == EBUSY)
WAITS(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t, r == EBUSY)
WAITS(sem_wait, sem_trywait, sem_t, r && errno == EAGAIN)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t, r == EBUSY, ETIMEDOUT)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, pthread_rwlock_t, r == EBUSY, ETIMEDOUT)
TIMED(sem_timedwait, sem_trywait, sem_t, r && errno == EAGAIN, (errno = ETIMEDOUT, -1))
AT_ONCE(pthread_spin_trylock, pthread_spinlock_t) AT_ONCE(pthread_spin_unlock, pthread_spinlock_t)
AT_ONCE(pthread_rwlock_tryrdlock, pthread_rwlock_t) AT_ONCE(pthread_rwlock_trywrlock, pthread_rwlock_t)
AT_ONCE(pthread_rwlock_unlock, pthread_rwlock_t) AT_ONCE(sem_trywait, sem_t) AT_ONCE(sem_post, sem_t)
int __real_sem_getvalue(sem_t *, int *);
int __wrap_sem_getvalue(sem_t *s, int *v) { event(CALLER); return __real_sem_getvalue(s, v); }

/* ---- once: 0 not begun, 1 at it, 2 done ---- */

static struct once { const void *address; volatile int state; } onces[64];
static void once(const void *o, void (*f)(void)) {
    unsigned i = 0;
    while (i < sizeof onces / sizeof *onces - 1 && onces[i].address && onces[i].address != o) i++;
    onces[i].address = o;
    while (onces[i].state == 1) wait_for_change();
    if (onces[i].state) return;
    onces[i].state = 1;
    f();
    onces[i].state = 2;
}
int __wrap_pthread_once(pthread_once_t *o, void (*f)(void)) { event(CALLER); once(o, f); return 0; }
void __wrap_call_once(pthread_once_t *o, void (*f)(void)) { event(CALLER); once(o, f); }

/* ---- condition variables; a wait may end for no reason ---- */

static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, int timed, const struct site *where) {
    event(where);
    if (__real_pthread_mutex_unlock(m)) return EPERM;
    released(m);
    progress++;
    self->woken = 0;
    self->waits_on = c;
    int late = 0;
    for (;;) {
        wait_for_change();
        if (self->woken || !below(16)) break;
        if (timed && !below(4)) { late = 1; break; }
    }
    self->waits_on = NULL;
    int r = lock(m, 0);
    return r ? r : late ? ETIMEDOUT : 0;
}
static void wake(void *c, int all, const struct site *where) {
    event(where);
    for (int i = 0; i < thread_count; i++) {
        if (threads[i].waits_on != c || threads[i].woken) continue;
        threads[i].woken = 1;
        if (!all) break;
    }
}
#define CONDITIONS(name, result)                                                                                       \
    int __wrap_##name##_signal(pthread_cond_t *c) { wake(c, 0, CALLER); return 0; }                                    \
    int __wrap_##name##_broadcast(pthread_cond_t *c) { wake(c, 1, CALLER); return 0; }                                 \
    int __wrap_##name##_wait(pthread_cond_t *c, pthread_mutex_t *m) { return result(wait_on(c, m, 0, CALLER)); }       \
    int __wrap_##name##_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {                   \
        (void)t;                                                                                                       \
        return result(wait_on(c, m, 1, CALLER));                                                                       \
    }
CONDITIONS(pthread_cond, )
CONDITIONS(cnd, c11)

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
    end_run(STOPPED);
    return NULL;
}
int __wrap_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *how, unsigned count) {
    (void)how;
    event(CALLER);
    barrier_at(b)->count = count;
    return 0;
}
int __wrap_pthread_barrier_wait(pthread_barrier_t *b) {
    event(CALLER);
    struct barrier *all = barrier_at(b);
    unsigned round = all->round;
    if (++all->arrived >= all->count) {
        all->arrived = 0;
        all->round++;
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (all->round == round) wait_for_change();
    return 0;
}

/* ---- time passes as chance has it ---- */

unsigned __wrap_sleep(unsigned s) { (void)s; event(CALLER); return 0; }
int __wrap_usleep(unsigned s) { (void)s; event(CALLER); return 0; }
int __wrap_nanosleep(const struct timespec *s, struct timespec *left) { (void)s, (void)left; event(CALLER); return 0; }

/* ---- functions of the library that read and write memory ---- */

#define COPIES(name)                                                                                                   \
    void *__real_##name(void *, const void *, size_t);                                                                 \
    void *__wrap_##name(void *to, const void *from, size_t n) { event(CALLER); return __real_##name(to, from, n); }
COPIES(memcpy) COPIES(memmove)
void *__real_memset(void *, int, size_t);
void *__wrap_memset(void *to, int v, size_t n) { event(CALLER); return __real_memset(to, v, n); }

/* ---- inputs: small ones mostly ---- */

static long long input(void) {
    switch (below(8)) {
    case 0: return any();
    case 1: return -(long long)below(4);
    case 2: return below(256);
    case 3: return below(2) ? 0x7fffffffu - below(2) : 0x80000000u;
    default: return below(4);
    }
}
/* For functions that are declared only: the same in all of a run, as of a function that depends on nothing. */
long long relyant_any(void) {
    static long long value;
    static int known;
    if (!known) value = input();
    known = 1;
    return value;
}
#define ANY(type, name)                                                                                                \
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return input(); }
#include "inputs.h"

#define WEAK __attribute__((weak)) void
WEAK __VERIFIER_atomic_begin(void) { begin_atomic(CALLER); }
WEAK __VERIFIER_atomic_end(void) { end_atomic(); }
WEAK __CPROVER_atomic_begin(void) { begin_atomic(CALLER); }
WEAK __CPROVER_atomic_end(void) { end_atomic(); }
WEAK __CPROVER_fence(const char *kind, ...) { (void)kind; }

/* An assumption that does not hold is one to wait for, where its condition can be asked again: nothing was done in the section
 * around it. */
void relyant_assuming(void) {
    if (!self) return;
    self->assumed = 1 + (!self->atomic || !self->section);
    self->again = 0;
    if (self->atomic) self->section = 0;
}
int relyant_again(void) {
    if (!self) return 0;
    int may = self->assumed == 2;
    self->assumed = 0;
    if (!self->again) return 0;
    if (!may) end_run(ASSUMED);
    int sections = self->atomic;
    self->atomic = 0;
    wait_for_change();
    self->atomic = sections;
    self->section = 0;
    return 1;
}
static void assume(int holds) {
    if (holds) return;
    if (!self || !self->assumed) end_run(ASSUMED);
    self->again = 1;
}
WEAK __VERIFIER_assume(int holds) { assume(holds); }
WEAK __CPROVER_assume(int holds) { assume(holds); }

/* ---- the end ---- */

static void program_fails(const char *what, const struct site *where) {
    if (!ASSERTS) end_run(ENDED); /* that is not what was proved */
    char who[200];
    say_thread(who, sizeof who);
    tell("line %d, %s: %s", where ? where->line : 0, who, what);
    fail();
}
void relyant_reach_error(void) { program_fails("reach_error is called", CALLER); }
WEAK reach_error(void) { program_fails("reach_error is called", CALLER); }
WEAK __VERIFIER_error(void) { program_fails("__VERIFIER_error is called", CALLER); }
WEAK __VERIFIER_assert(int holds) { if (!holds) program_fails("__VERIFIER_assert fails", CALLER); }
WEAK assert(int holds) { if (!holds) program_fails("assert fails", CALLER); }
WEAK __CPROVER_assert(int holds, const char *text) { (void)text; if (!holds) program_fails("__CPROVER_assert fails", CALLER); }
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    (void)what, (void)file, (void)line, (void)function;
    program_fails("an assertion fails", CALLER);
}
void __wrap_abort(void) { end_run(ENDED); }
void __wrap__exit(int status) { (void)status; end_run(ENDED); }
