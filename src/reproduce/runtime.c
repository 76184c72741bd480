/* Drives a program through one interleaving.
 *
 * The program is compiled with instrumentation that calls a function before each access to memory (what -fsanitize=thread
 * and -fsanitize=address put there); its calls of pthread functions come here as well (--wrap of the linker). Each of
 * these is an event, and events are the only places where threads take turns.
 *
 * schedule.h holds the run: what was done, in order. A thread that comes to an event looks for it among its next steps of
 * the run, by line, kind and object, and waits until that step is due. Events that the run has nothing of pass; steps
 * that the program has no event for are left out. A thread that was let go keeps the turn until it comes to its next event
 * that waits. So at any time one thread runs, and each run of the program is the same.
 *
 * calls.h has the calls, accesses.h the accesses that are events.
 *
 * Nothing here may order the program's threads in the eyes of a race detector: no locks of pthread, only a futex.
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
#include <time.h>
#include <unistd.h>

/* A step of the run. */
struct step {
    int thread;      /* by order of creation, main is 0 */
    char kind;       /* r read, w write, i input, u value of what gets none, c create, j join, g signal, k may be cancelled, p parameter of a
                        start routine that gets none, t outcome of a timed wait, x end of thread,
                        h end of program */
    char flags;      /* of the following */
    int cell;        /* number of the cell, from 1 */
    int file, line, column;
    const char *object, *suffix; /* `x` and `.next`; function that gives an input */
    long long value; /* read or written; thread that is created or joined */
};
#define MODEL 1 /* the state of a lock or the like, which calls change; or a pointer */
#define HELD 2  /* together with the step before */
#define VALUE 4 /* the value is known */
#define CHOSEN 8 /* it was chosen: the program gives none */

#ifndef REORDER
#define REORDER 0
#endif
#include "schedule.h"
/* which defines: steps[] and STEPS, files[], THREADS, CELLS, FINAL (the thread that fails), OTHER (of a race, else -1), OTHER_LINE (0: not known),
   DEADLOCK, LEAKS, CONSTANT_LINE (where what is defined const is written, else 0), thread_names[], and INPUTS(X): X(function) for each function that gives inputs */

#include "executable.h"

/* ---- the state of the scheduler, under one lock ---- */

struct thread {
    int number;                 /* -1: none of the run's */
    volatile int next;          /* its first step that is still to be done, STEPS when there is none */
    volatile int at;            /* the step that it waits for; what is before is left out */
    struct thread *volatile parent; /* waits for it to come to its first event */
    volatile int ended;
    volatile int gone;          /* events done after the end of the run */
    const char *volatile call;  /* the function that it may be blocked in */
    const struct site *where;   /* where it was last seen */
    void *volatile waits_on;    /* a condition variable */
    volatile int woken;
    volatile int labelled;      /* at the label that one thread at a time may be at */
};

static struct thread threads[THREADS + 64];
static volatile int thread_count;
static __thread struct thread *self;

static struct thread *volatile holder;   /* whose turn it is */
static volatile int current;    /* the step that is due */
static volatile int free_run;   /* the run is over: all go as they like */
static volatile int skipped, matched, differs = -1;
static volatile unsigned progress; /* the watchdog looks at it */
static volatile unsigned generation; /* futex: grows with each change */
static volatile int latch;      /* spin lock */

static void lock(void) {
    while (__atomic_exchange_n(&latch, 1, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
}
static void unlock(void) { __atomic_store_n(&latch, 0, __ATOMIC_RELEASE); }

static void changed(void) {
    __atomic_add_fetch(&generation, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Lets others change something. */
static void pause_for_change(void) {
    unsigned seen = __atomic_load_n(&generation, __ATOMIC_SEQ_CST);
    unlock();
    syscall(SYS_futex, &generation, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    lock();
}

static void say_place(const struct thread *t) {
    say("thread %d (%s)", t->number, t->number < 0 ? "not of the run" : thread_names[t->number]);
    if (t->where) say(" at %s:%d", base_name(t->where->file), t->where->line);
    if (t->call) say(" in %s", t->call);
}

/* ---- which step an event is ---- */

static uintptr_t bound[CELLS + 1]; /* addresses of cells of global objects, once seen */

/* Is a symbol (`x`, or `x.1234` for a static one of a function) the object? Of several files' objects it is `x (a.c)`. */
static int named(const char *symbol, const char *object) {
    const char *colons = strstr(object, "::");
    if (colons) object = colons + 2;
    size_t n = strcspn(object, "#@ ");
    return !strncmp(symbol, object, n) && (symbol[n] == 0 || symbol[n] == '.');
}

struct event {
    char kind; /* of a step (u: size is the number of the cell), or: b read and written at once, R and W several cells, s a call about a lock or the like */
    uintptr_t address;
    unsigned size;
    const struct site *where;
    const char *call;
};

/* Gives an object the value of a step. Byte by byte, here and below: a race detector may have a memcpy of its own. */
static void set(void *object, uintptr_t size, int s) {
    if ((uintptr_t)object <= 4096 || size > sizeof steps[s].value || !(steps[s].flags & VALUE)) return;
    for (uintptr_t i = 0; i < size; i++) ((volatile char *)object)[i] = ((char *)&steps[s].value)[i];
}

/* Is the value the step's that a read is about to see? */
static int holds(const struct event *e, const struct step *s) {
    if (e->kind != 'r' || !(s->flags & VALUE) || e->size > sizeof s->value || e->address <= 4096) return 1;
    for (unsigned i = 0; i < e->size; i++)
        if (((volatile char *)e->address)[i] != ((char *)&s->value)[i]) return 0;
    return 1;
}

static int reader[CELLS + 1]; /* the thread that alone accesses the cell in the run and 1, else -1 */

/* Is a suffix one subscript? The program may stand in for sscanf. */
static int subscript(const char *suffix, uintptr_t *index) {
    if (*suffix++ != '[') return 0;
    for (*index = 0; *suffix >= '0' && *suffix <= '9'; suffix++) *index = 10 * *index + (*suffix - '0');
    return suffix[0] == ']' && !suffix[1];
}

/* May an address be that of the step's cell? */
static int is_cell(const struct step *s, const struct event *e) {
    uintptr_t address = e->address;
    unsigned size = e->kind == 's' || e->kind < 'a' ? 0 : e->size;
    const struct symbol *symbol = symbol_at(address);
    if (!symbol) {
        /* On a stack, or made at run time. */
        if (strstr(s->object, "::")) return reader[s->cell] < 0 || s->flags & CHOSEN || s->kind != 'r' || holds(e, s);
        for (int i = 0; i < symbol_count; i++)
            if (!symbols[i].local && named(symbols[i].name, s->object)) return 0;
        return 1;
    }
    if (!named(symbol->name, s->object)) return 0;
    if (!size) return 1; /* a lock, or several cells */
    if (bound[s->cell]) return bound[s->cell] == address;
    uintptr_t index;
    if (subscript(s->suffix, &index)) return address - symbol->start == index * size;
    for (int i = 1; i <= CELLS; i++)
        if (bound[i] == address) return 0;
    return 1;
}

static int is_step(const struct step *s, const struct event *e) {
    int memory = (s->kind == 'r' || s->kind == 'w');
    if (e->kind == 'r' && s->kind == 'i') {
        /* An object that has another value each time. */
        const struct symbol *symbol = symbol_at(e->address);
        return symbol && !strcmp(symbol->name, s->object);
    }
    switch (e->kind) {
    case 'b': if (!memory) return 0; break;
    case 's': if (!memory || !(s->flags & MODEL)) return 0; break;
    case 'R': case 'W': if (s->kind != (e->kind | 32)) return 0; break;
    default: if (s->kind != e->kind) return 0;
    }
    if (e->kind == 'u') return s->cell == (int)e->size;
    if (e->kind == 'i' && strcmp(s->object, e->call)) return 0;
    if (e->where && s->line) {
        if (s->line != e->where->line) return 0;
        if (strcmp(base_name(files[s->file]), base_name(e->where->file))) return 0;
    }
    return !memory || is_cell(s, e);
}

static int following[STEPS + 1]; /* the thread's next step */
static volatile char early[STEPS + 1]; /* done before its time, see find */
static unsigned char used[1024]; /* lines that the run has steps of, by their last bits */

static void index_steps(void) {
    int next[THREADS];
    for (int i = 0; i < THREADS; i++) next[i] = STEPS;
    for (int i = STEPS - 1; i >= 0; i--) {
        following[i] = next[steps[i].thread];
        next[steps[i].thread] = i;
        used[steps[i].line % sizeof used] = 1;
        int *only = &reader[steps[i].cell], me = steps[i].thread + 1;
        *only = !*only || *only == me ? me : -1;
    }
}
static int next_of(int thread, int from) {
    while (from < STEPS && steps[from].thread != thread) from++;
    return from;
}

/* The step of the run that an event of this thread is, or -1. With REORDER, operands of one line may be read in another
 * order than in the run: *before is then the step that this one comes before. */
static int find(const struct event *e, int *before) {
    *before = -1;
    if (e->where && !used[e->where->line % sizeof used] && !used[0]) return -1;
    int first = -1; /* another read of the line */
    for (int i = self->next; i < STEPS; i = following[i]) {
        if (early[i]) continue;
        if (is_step(&steps[i], e)) {
            if (REORDER && e->kind == 'r') *before = first;
            return i;
        }
        if (first < 0 && steps[i].kind == 'r' && e->where && steps[i].line == e->where->line) first = i;
    }
    return -1;
}

/* ---- taking turns ---- */

static struct thread *by_number(int number) {
    for (int i = 0; i < thread_count; i++)
        if (threads[i].number == number) return &threads[i];
    return NULL;
}

/* Goes on over steps that are left out. Only when it is nobody's turn. */
static void advance(void) {
    for (; current < STEPS; current++, skipped++) {
        struct thread *t = by_number(steps[current].thread);
        if (early[current]) continue;
        if (!t || (!t->ended && t->at <= current)) break;
        progress++;
    }
    if (current >= STEPS && DEADLOCK) free_run = 1;
}

/* Gives the turn away: to the thread that waits for this one to have come here, or to whoever is due. */
static void give_up(void) {
    if (holder == self) holder = NULL;
    if (self->parent) holder = self->parent;
    self->parent = NULL;
    if (!holder) advance();
    changed();
}

static int due(int s) {
    if (s < STEPS) return current == s;
    if (current < STEPS || DEADLOCK) return 0; /* all go on, see advance */
    /* The run is over: now for the access or the assertion that it leads to. */
    struct thread *other = OTHER < 0 ? NULL : by_number(OTHER);
    if (self->number == FINAL) return !other || other->gone > 0 || other->ended;
    return self == other && !self->gone;
}

/* Waits until a step is due (STEPS: until the run is over), and takes the turn. */
static void wait_for(int s) {
    self->at = s;
    if (holder != self || self->parent || !due(s)) {
        give_up();
        while (!free_run && (holder || !due(s))) pause_for_change();
        if (free_run) return;
        holder = self;
    }
    progress++;
    /* Of a race, the other thread may do more before its access, which the run leaves out. */
    int more = OTHER_LINE && self->number == OTHER && self->where && self->where->line != OTHER_LINE;
    if (s >= STEPS && !more) self->gone++;
}

/* The step is done now, with those that come with it. */
static void consume(int s, const struct event *e) {
    const struct step *step = &steps[s];
    int many = e->kind < 'a';
    if (e->address && !many && e->kind != 's' && symbol_at(e->address)) bound[step->cell] = e->address;
    /* Nobody gave the object a value. */
    int given = step->kind == 'i' || (step->kind == 'r' && step->flags & CHOSEN);
    if (given && e->kind == 'r') set((void *)e->address, e->size, s);
    if (step->kind == 'r' && differs < 0 && !holds(e, step)) differs = s;
    matched++;
    int together = strchr("bscjk", e->kind) != NULL;
    do current = ++s;
    while (s < STEPS && steps[s].thread == self->number && steps[s].line == step->line && steps[s].kind != 't' &&
           (together || (steps[s].kind == step->kind && !strcmp(steps[s].object, step->object))
                ? steps[s].flags & HELD || (many && !together)
                : 0));
    int next = following[current - 1];
    while (next < STEPS && early[next]) next = following[next];
    self->next = self->at = next;
}

/* Objects that are defined const, as the source says (its edits call this). */
static struct {
    uintptr_t start, size;
} constants[64];
static volatile int constant_count;
void relyant_constant(const volatile void *object, unsigned long size) {
    int i = 0;
    lock();
    while (i < constant_count && constants[i].start != (uintptr_t)object) i++;
    if (i < (int)(sizeof constants / sizeof *constants)) {
        constants[i].start = (uintptr_t)object, constants[i].size = size;
        if (i == constant_count) constant_count++;
    }
    unlock();
}
static int writes_constant(const struct event *e) {
    if (!CONSTANT_LINE || !strchr("wWb", e->kind) || !e->where || e->where->line != CONSTANT_LINE) return 0;
    for (int i = 0; i < constant_count; i++)
        if (e->address < constants[i].start + constants[i].size && constants[i].start < e->address + e->size) return 1;
    return 0;
}
static void fails(const char *what, const void *pc);

/* An event. Returns the step that it is, or -1, when the thread may go on. */
static int event(struct event e) {
    if (!self || free_run) return -1;
    lock();
    self->where = e.where;
    int before, s = find(&e, &before);
    if (before >= 0) {
        wait_for(before);
        early[s] = 1;
        s = -1;
    } else if (s >= 0 || self->next >= STEPS || e.kind == 'j') /* The run does not come to a join that it does not have. */
        wait_for(s >= 0 ? s : STEPS);
    else if (self->parent)
        wait_for(self->next); /* The first event is none of the run: the one that created the thread goes on first. */
    self->labelled = 0;
    if (free_run) s = -1;
    if (s >= 0) consume(s, &e);
    int ends = s < 0 && self->number == FINAL && self->gone && writes_constant(&e);
    unlock();
    if (ends) fails("an object that is defined const is written", e.where->pc);
    return s;
}
#define EVENT(kind, address, size, call)                                                                              \
    event((struct event){kind, (uintptr_t)(address), size, site_of(__builtin_return_address(0)), call})

/* ---- the beginning and the end ---- */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
void __real_abort(void) __attribute__((noreturn));
void __real__exit(int) __attribute__((noreturn));

static void end_differently(const char *what) {
    say("relyant: the program does not fail as the run does: %s\n", what);
    if (current < STEPS) {
        const struct step *s = &steps[current];
        struct thread *t = by_number(s->thread);
        static const struct { char kind; const char *verb; } verbs[] = {{'r', "read "}, {'w', "write "},
            {'i', "call "}, {'u', "declare "}, {'g', "have a signal"}, {'k', "be cancelled, or not, "},
            {'p', "begin with "}, {'t', "time out, or not, "}, {'c', "create a thread"}, {'j', "join a thread"}, {'x', "end"}, {'h', "end the program"}};
        const char *verb = "";
        for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++)
            if (verbs[i].kind == s->kind) verb = verbs[i].verb;
        say("relyant: step %d of %d is not done: thread %d (%s) is to %s%s%s at %s:%d\n", current + 1, STEPS, s->thread,
            thread_names[s->thread], verb, s->object, s->suffix, base_name(files[s->file]), s->line);
        if (t) say("relyant: it is "), say_place(t), say("\n");
    }
    if (differs >= 0)
        say("relyant: step %d reads another value of %s%s than the run does, at %s:%d\n", differs + 1,
            steps[differs].object, steps[differs].suffix, base_name(files[steps[differs].file]), steps[differs].line);
    __real__exit(71);
}

/* Says how far the run was followed when the program fails. */
static void say_end(void) {
    say("relyant: %d of %d steps of the run were done", current, STEPS);
    if (skipped) say(", %d of them without an access", skipped);
    say("\n");
}

static void *watch(void *nothing) {
    (void)nothing;
    unsigned seen = 0;
    for (int quiet = 0, over = 0;;) {
        struct timespec tick = {0, 10 * 1000 * 1000};
        syscall(SYS_nanosleep, &tick, NULL);
        lock();
        int stuck = 1, some = 0;
        over = current < STEPS ? 0 : over + 1;
        for (int i = 0; i < thread_count; i++)
            if (!threads[i].ended && !threads[i].call) stuck = 0;
        for (int i = 0; i < thread_count; i++) some |= !threads[i].ended;
        if (!some) {
            /* The program is over; this thread is none of it. */
            unlock();
            exit(0);
        }
        quiet = progress == seen ? quiet + 1 : 0;
        seen = progress;
        if (free_run && stuck && quiet >= 20) {
            say_end();
            say("relyant: deadlock\n");
            for (int i = 0; i < thread_count; i++)
                if (!threads[i].ended) say("relyant: "), say_place(&threads[i]), say("\n");
            if (getenv("RELYANT_HANG")) return NULL;
            unlock();
            if (DEADLOCK) __real_abort();
            end_differently("it hangs");
        }
        if (quiet >= 200 && current < STEPS) end_differently("it does not go on");
        if (over >= 600) end_differently("it goes on without failing");
        if (over >= 200 && !free_run) {
            free_run = 1;
            changed();
        }
        unlock();
    }
}

/* After the program's own destructors. */
__attribute__((destructor(101))) static void at_exit(void) {
    EVENT('h', 0, 0, "exit");
    if (LEAKS) return;
    end_differently("it ends");
}


__attribute__((constructor(101))) static void start(void) {
    read_executable();
    index_steps();
    self = &threads[thread_count++];
    self->next = self->at = next_of(self->number, 0);
    holder = self;
    /* Signals are for the program. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t watchdog;
    __real_pthread_create(&watchdog, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Does the run read what an exchange expects, too? It may be no memory there. */
static int reads_expected(const struct site *where) {
    int first = 0;
    if (!self || free_run || !where) return 0;
    for (int i = self->next; i < STEPS; i = following[i]) {
        if (steps[i].line != where->line || steps[i].kind != 'r') {
            if (first) return 0;
        } else if (first++) return 1;
    }
    return 0;
}

#include "calls.h"
#include "accesses.h"
