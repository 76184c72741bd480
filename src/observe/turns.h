/* Whose turn it is, for observe.c: one thread at a time. */

static volatile unsigned progress = 1; /* grows with each event that changes something for those who wait */

/* splitmix64 */
static uint64_t random_state;
static uint64_t any(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static unsigned below(unsigned n) { return any() % n; }

/* How the run chooses: with one chance in `stays` of a switch, or the thread of the highest priority, which changes at times
 * (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", 2010). */
static unsigned stays;
static int by_priority;
static unsigned last_switch;

pthread_t __real_pthread_self(void);
static void begin_turns(void) {
    random_state = seed;
    static const unsigned chances[] = {1, 1, 2, 4, 16};
    stays = chances[below(5)];
    by_priority = below(4) == 0;
    self = &threads[thread_count++];
    self->handle = __real_pthread_self();
    self->priority = below(1 << 20);
#ifndef STARTS
    self->templates = templates[0].initial;
#endif
}

static void wait_for_turn(struct thread *t) {
    while (!__atomic_load_n(&t->turn, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &t->turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void give_turn(struct thread *t) {
    __atomic_store_n(&t->turn, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &t->turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static int may_go(const struct thread *t) { return !t->ended && (!t->waits || t->waits != progress); }

/* Who goes on; NULL: nobody can. */
static struct thread *chosen(void) {
    int count = 0;
    struct thread *best = NULL;
    for (int i = 0; i < thread_count; i++) {
        struct thread *t = &threads[i];
        if (!may_go(t)) continue;
        count++;
        if (!best || t->priority > best->priority) best = t;
    }
    if (!count || by_priority) return best;
    int k = below(count);
    for (int i = 0; i < thread_count; i++)
        if (may_go(&threads[i]) && !k--) return &threads[i];
    return NULL;
}

/* Gives the turn to whoever is chosen, and waits for it to come back. */
static void turn_over(void) {
    struct thread *next = chosen();
    if (!next) end_run(STUCK);
    if (next == self) return;
    last_switch = step;
    self->turn = 0;
    give_turn(next);
    if (!self->ended) wait_for_turn(self);
}

/* A point where another thread may go on. */
static void pass(int here) {
    if (self->atomic || !here) return;
    if (by_priority) {
        /* Also where a thread spins. */
        if (!below(100) || step - last_switch > 40) self->priority = -(int)step, last_switch = step;
        turn_over();
    } else if (!below(stays)) turn_over();
}

/* The thread cannot go on before something has changed. */
static void wait_for_change(void) {
    /* A section that cannot be left is not begun. */
    if (self->atomic) end_run(ASSUMED);
    if (step++ >= most_steps) end_run(STOPPED);
    self->waits = progress;
    turn_over();
    self->waits = 0;
}

/* Something happens: an access, or a call. Returns -1. */
static int event(const struct site *where) {
    if (!self || self->quiet) return -1;
    self->where = where;
    if (step++ >= most_steps) end_run(STOPPED);
    self->section++;
    pass(!STATEMENTS);
    progress++;
    return -1;
}

/* Sections that nobody interrupts. */
static void begin_atomic(const struct site *where) {
    if (!self) return;
    if (!self->atomic) {
        self->where = where;
        pass(!STATEMENTS);
        self->section = 0;
    }
    self->atomic++;
}
static void end_atomic(void) {
    if (self && self->atomic) self->atomic--;
}
