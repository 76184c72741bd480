/* Accesses to memory as events, for runtime.c: what a compiler calls before each of them.
 *
 * RACES: a race detector takes part, each function goes on to its own (--wrap). MEMORY: memory is checked as AddressSanitizer
 * does it. NARROW: nothing but events. STACK: the program is instrumented by AddressSanitizer itself. Calls at the end are jumps, so that the detector
 * sees where the program called. */

#define ORDER __ATOMIC_SEQ_CST

#if defined RACES || defined STACK
#define OWN(name) __wrap_##name
#define DECLARE(type, name, ...) type __real_##name(__VA_ARGS__);
#else
#define OWN(name) name
#define DECLARE(type, name, ...)
#endif

#if defined NARROW
/* ---- -fsanitize=kernel-address: what there is for 32 bits ---- */
#define ACCESS(size)                                                                                                   \
    void __asan_load##size##_noabort(uintptr_t a) { EVENT('r', a, size, NULL); }                                       \
    void __asan_store##size##_noabort(uintptr_t a) { EVENT('w', a, size, NULL); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __asan_loadN_noabort(uintptr_t a, size_t n) { EVENT('R', a, n, NULL); }
void __asan_storeN_noabort(uintptr_t a, size_t n) { EVENT('W', a, n, NULL); }
void __asan_handle_no_return(void) {}

#elif defined STACK
/* ---- -fsanitize=address ---- */
#define ACCESS(size)                                                                                                   \
    void __real___asan_load##size(uintptr_t a);                                                                        \
    void __real___asan_store##size(uintptr_t a);                                                                       \
    void __wrap___asan_load##size(uintptr_t a) { EVENT('r', a, size, NULL); return __real___asan_load##size(a); }      \
    void __wrap___asan_store##size(uintptr_t a) { EVENT('w', a, size, NULL); return __real___asan_store##size(a); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __real___asan_loadN(uintptr_t a, size_t n);
void __real___asan_storeN(uintptr_t a, size_t n);
void __wrap___asan_loadN(uintptr_t a, size_t n) { EVENT('R', a, n, NULL); return __real___asan_loadN(a, n); }
void __wrap___asan_storeN(uintptr_t a, size_t n) { EVENT('W', a, n, NULL); return __real___asan_storeN(a, n); }

#else
/* ---- -fsanitize=thread ---- */
#if defined RACES
#define THEN(name, ...) return __real_##name(__VA_ARGS__)
#define CHECK(kind, size, a)
#elif defined MEMORY
#define CHECK(kind, size, a) __asan_##kind##size((uintptr_t)a)
#define THEN(name, ...)
#else
#define CHECK(kind, size, a)
#define THEN(name, ...)
#endif

#define ACCESS(size)                                                                                                   \
    void __asan_load##size(uintptr_t a);                                                                               \
    void __asan_store##size(uintptr_t a);                                                                              \
    ONE(read, size, 'r', load) ONE(write, size, 'w', store)
#define UNALIGNED(size) ONE(unaligned_read, size, 'r', load) ONE(unaligned_write, size, 'w', store)
#define ONE(name, size, kind, check)                                                                                   \
    DECLARE(void, __tsan_##name##size, void *a)                                                                        \
    void OWN(__tsan_##name##size)(void *a) {                                                                           \
        EVENT(kind, a, size, NULL);                                                                                    \
        CHECK(check, size, a);                                                                                         \
        THEN(__tsan_##name##size, a);                                                                                  \
    }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16) UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)

void __asan_loadN(uintptr_t a, size_t n);
void __asan_storeN(uintptr_t a, size_t n);
#if defined MEMORY
#define CHECK_N(kind, a, n) __asan_##kind##N((uintptr_t)a, n)
#else
#define CHECK_N(kind, a, n)
#endif
DECLARE(void, __tsan_read_range, void *a, size_t n)
DECLARE(void, __tsan_write_range, void *a, size_t n)
void OWN(__tsan_read_range)(void *a, size_t n) {
    EVENT('R', a, n, NULL);
    CHECK_N(load, a, n);
    THEN(__tsan_read_range, a, n);
}
void OWN(__tsan_write_range)(void *a, size_t n) {
    EVENT('W', a, n, NULL);
    CHECK_N(store, a, n);
    THEN(__tsan_write_range, a, n);
}

/* Atomic accesses: the event, then what they do. */
#if defined RACES
#define DO(name, call, ...) return __real_##name(__VA_ARGS__)
#define DONE(name, call, ...) __real_##name(__VA_ARGS__)
#define SEE(what, n, a) __real___tsan_##what##n(a)
#else
#define DO(name, call, ...) return call
#define DONE(name, call, ...) call
#define SEE(what, n, a)
#endif
#define ATOMIC(bits, type, T, name, kind, parameters, call, ...)                                                       \
    DECLARE(T, __tsan_atomic##bits##_##name, parameters)                                                               \
    T OWN(__tsan_atomic##bits##_##name)(parameters) {                                                                  \
        EVENT(kind, a, bits / 8, NULL);                                                                                \
        CHECK(load, type, a);                                                                                          \
        DO(__tsan_atomic##bits##_##name, call, __VA_ARGS__);                                                           \
    }
#define P(...) __VA_ARGS__
#define CHANGE(bits, n, T, name, builtin)                                                                              \
    ATOMIC(bits, n, T, name, 'b', P(volatile T *a, T v, int o), __atomic_##builtin(a, v, ORDER), a, v, o)
/* Does the run have a write together with a step? A weak exchange may fail for no reason. */
static int changes(int s) {
    return s + 1 < STEPS && steps[s + 1].thread == steps[s].thread && steps[s + 1].kind == 'w' && steps[s + 1].flags & HELD;
}

/* One that fails writes to what it expected. */
#define SWAP(bits, n, T, how)                                                                                          \
    DECLARE(int, __tsan_atomic##bits##_compare_exchange_##how, volatile T *a, T *c, T v, int o, int p)                 \
    int OWN(__tsan_atomic##bits##_compare_exchange_##how)(volatile T *a, T *c, T v, int o, int p) {                    \
        if (reads_expected(site_of(__builtin_return_address(0)))) EVENT('r', c, bits / 8, NULL);                       \
        SEE(read, n, c);                                                                                               \
        T now = *c;                                                                                                    \
        int s = EVENT('b', a, bits / 8, NULL);                                                                         \
        if (s >= 0 && #how[0] == 'w' && *(volatile T *)a == now && !changes(s)) return 0;                              \
        CHECK(load, n, a);                                                                                             \
        int done = DONE(__tsan_atomic##bits##_compare_exchange_##how,                                                  \
                        __atomic_compare_exchange_n(a, &now, v, 0, ORDER, ORDER), a, &now, v, o, p);                   \
        if (done) return 1;                                                                                            \
        EVENT('w', c, bits / 8, NULL);                                                                                 \
        SEE(write, n, c);                                                                                                    \
        *c = now;                                                                                                      \
        return 0;                                                                                                      \
    }
#define ATOMICS(bits, n, T)                                                                                            \
    ATOMIC(bits, n, T, load, 'r', P(const volatile T *a, int o), __atomic_load_n(a, ORDER), a, o)                      \
    ATOMIC(bits, n, void, store, 'w', P(volatile T *a, T v, int o), __atomic_store_n(a, v, ORDER), a, v, o)            \
    CHANGE(bits, n, T, exchange, exchange_n) CHANGE(bits, n, T, fetch_add, fetch_add)                                  \
    CHANGE(bits, n, T, fetch_sub, fetch_sub) CHANGE(bits, n, T, fetch_and, fetch_and)                                  \
    CHANGE(bits, n, T, fetch_or, fetch_or) CHANGE(bits, n, T, fetch_xor, fetch_xor)                                    \
    CHANGE(bits, n, T, fetch_nand, fetch_nand) SWAP(bits, n, T, strong) SWAP(bits, n, T, weak)                         \
    ATOMIC(bits, n, T, compare_exchange_val, 'b', P(volatile T *a, T c, T v, int o, int p),                            \
           (__atomic_compare_exchange_n(a, &c, v, 0, ORDER, ORDER), c), a, c, v, o, p)
ATOMICS(8, 1, uint8_t) ATOMICS(16, 2, uint16_t) ATOMICS(32, 4, uint32_t) ATOMICS(64, 8, uint64_t)
#if !defined RACES
/* Wide ones would need a library: nobody else runs in the meantime. */
typedef unsigned __int128 wide;
wide __tsan_atomic128_load(const volatile wide *a, int o) { EVENT('R', a, 16, NULL); return *a; }
void __tsan_atomic128_store(volatile wide *a, wide v, int o) { EVENT('W', a, 16, NULL); *a = v; }
wide __tsan_atomic128_exchange(volatile wide *a, wide v, int o) {
    EVENT('W', a, 16, NULL);
    wide old = *a;
    *a = v;
    return old;
}
int __tsan_atomic128_compare_exchange_strong(volatile wide *a, wide *c, wide v, int o, int p) {
    EVENT('R', a, 16, NULL);
    wide old = *a;
    int same = old == *c;
    if (same) *a = v;
    else *c = old;
    return same;
}
int __tsan_atomic128_compare_exchange_weak(volatile wide *a, wide *c, wide v, int o, int p) {
    return __tsan_atomic128_compare_exchange_strong(a, c, v, o, p);
}
#endif

#if !defined RACES
void __tsan_atomic_thread_fence(int o) { (void)o; }
void __tsan_atomic_signal_fence(int o) { (void)o; }
#if !defined FRAMES
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
#endif
void __tsan_init(void) {}
#endif
#endif

/* What the detectors do when they have found something. */
const char *__tsan_default_options(void) { return "halt_on_error=1:exitcode=66:report_thread_leaks=0:history_size=7"; }
const char *__ubsan_default_options(void) { return "halt_on_error=1:abort_on_error=1:print_stacktrace=1"; }
const char *__asan_default_options(void) {
    return LEAKS ? "abort_on_error=1:detect_leaks=1" : "abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=1";
}
