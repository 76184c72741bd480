"""Small programs for the checker's own test: text, guesses for each thread, whether they are a proof. An unsafe program is
never accepted, whatever is guessed."""

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
"""


def alone(*statements):
    """A program of one thread."""
    return HEAD + "int g; int a[3]; struct { int x; unsigned char y; } s;\nint main(void)\n{\n" + "\n".join(statements) + "\nreturn 0;\n}\n"


def two(shared, f, g, after=""):
    """Two threads, and what `main` does once both have ended."""
    return (HEAD + shared + "\nvoid *f(void *arg)\n{\n" + f + "\nreturn 0;\n}\nvoid *g(void *arg)\n{\n" + g + "\nreturn 0;\n}\nint main(void)\n{\n"
            + "pthread_t t, u;\npthread_create(&t, 0, f, 0);\npthread_create(&u, 0, g, 0);\npthread_join(t, 0);\npthread_join(u, 0);\n" + after + "\nreturn 0;\n}\n")


def many(shared, f):
    """Any number of threads."""
    return HEAD + shared + "\nvoid *f(void *arg)\n{\n" + f + "\nreturn 0;\n}\nint main(void)\n{\npthread_t t;\nwhile (1)\npthread_create(&t, 0, f, 0);\n}\n"


# What C says of one thread: statements, and whether the assertion in them holds.
MEANING = [
    ("unsigned char c = 255; c++; assert(c == 0);", True),
    ("unsigned char c = 255; c++; assert(c == 256);", False),
    ("unsigned char c = 255; int i = c + 1; assert(i == 256);", True),
    ("unsigned char c = 255; int i = c + 1; assert(i == 0);", False),
    ("signed char c = -1; unsigned u = c; assert(u == 4294967295u);", True),
    ("signed char c = -1; unsigned u = c; assert(u == 255);", False),
    ("int i = -1; unsigned u = 1; assert(!(i < u));", True),
    ("int i = -1; unsigned u = 1; assert(i < u);", False),
    ("int i = -1; long u = 1; assert(i < u);", True),
    ("int i = -1; unsigned short u = 1; assert(i < u);", True),
    ("unsigned u = 0; u = u - 1; assert(u > 5);", True),
    ("unsigned u = 0; u = u - 1; assert(u < 5);", False),
    ("unsigned u = __VERIFIER_nondet_uint(); assert(u + 1 > u);", False),
    ("int i = __VERIFIER_nondet_int(); assert(i + 1 > i);", True),  # signed: assume
    ("long l = 4294967296; int i = l; assert(i == 0);", True),
    ("long l = 4294967296; int i = l; assert(i != 0);", False),
    ("int i = -7; assert(i / 2 == -3 && i % 2 == -1);", True),
    ("int i = __VERIFIER_nondet_int(); if (i < 0) assert(i / 2 <= 0 && i % 2 <= 0);", True),
    ("int i = __VERIFIER_nondet_int(); assert(i % 2 >= 0);", False),
    ("g = 0; if (0 && g++) g = 5; assert(g == 0);", True),
    ("g = 0; if (0 && g++) g = 5; assert(g == 1);", False),
    ("g = 0; if (1 || g++) ; assert(g == 0);", True),
    ("g = 0; if (0 || g++) ; assert(g == 0);", False),
    ("g = 0; int r = g++ + 5; assert(r == 5 && g == 1);", True),
    ("g = 0; int r = ++g + 5; assert(r == 5);", False),
    ("int i = 3; i += 4; i *= 2; assert(i == 14);", True),
    ("int i = 3; int j = (i++, i); assert(j == 4);", True),
    ("int i = 0; while (i < 3) i++; assert(i >= 3);", True),
    ("int i = 0; do i++; while (0); assert(i == 1);", True),
    ("int i = 0; do i++; while (i < 0); assert(i == 0);", False),
    ("int i = 0; for (;;) { i = 1; break; i = 2; } assert(i == 1);", True),
    ("int i = 0; for (;;) { i = 1; break; } assert(i == 0);", False),
    ("int i = 0; for (;;) { if (__VERIFIER_nondet_int()) continue; break; i = 1; } assert(i == 0);", True),
    ("int i = 2, r = 0; switch (i) { case 1: r = 1; case 2: r += 2; case 3: r += 4; break; default: r = 9; } assert(r == 6);", True),
    ("int i = 2, r = 0; switch (i) { case 1: r = 1; case 2: r += 2; case 3: r += 4; break; default: r = 9; } assert(r == 2);", False),
    ("int i = 7, r = 0; switch (i) { case 1: r = 1; break; default: r = 9; } assert(r == 9);", True),
    ("int i = 7, r = 0; switch (i) { case 1: r = 1; break; } assert(r == 1);", False),
    ("int i = 1; goto end; i = 2; end: assert(i == 1);", True),
    ("int i = 1; goto end; i = 2; end: assert(i == 2);", False),
    ("int i; assert(i == 0);", False),
    ("assert(g == 0 && a[1] == 0 && s.x == 0);", True),
    ("assert(g != 0);", False),
    ("int i = __VERIFIER_nondet_int(); __VERIFIER_assume(i > 2); assert(i > 1);", True),
    ("int i = __VERIFIER_nondet_int(); __VERIFIER_assume(i > 2); assert(i > 3);", False),
    ("int i = __VERIFIER_nondet_int(); if (i < 0 || i > 2) abort(); a[i] = 1; a[0] = 0; assert(a[0] == 0);", True),
    ("int i = __VERIFIER_nondet_int(); if (i < 0 || i > 2) abort(); a[i] = 1; assert(a[0] == 0);", False),
    ("s.y = 300; assert(s.y == 44);", True),
    ("s.y = 255; s.y += 2; assert(s.y == 257);", False),
    ("_Bool b = 7; assert(b == 1);", True),
    ("_Bool b = 7; assert(b == 7);", False),
    ("int i = 5; int r = i > 3 ? 1 : 2; assert(r == 1);", True),
    ("int i = 5; int r = i > 3 ? 1 : 2; assert(r == 2);", False),
    ("unsigned u = 1u << 31; u <<= 1; assert(u == 0);", True),
    ("enum { A, B = 5, C }; assert(C == 6);", True),
    ("assert(sizeof(int) == 4 && -1 < (int)sizeof(int));", True),
    ("assert(-1 < sizeof(int));", False),
    ("g = 1; assert(__sync_fetch_and_add(&g, 2) == 1); assert(g == 3);", True),
    ("g = 1; assert(__sync_add_and_fetch(&g, 2) == 1);", False),
    ("g = 1; if (__sync_bool_compare_and_swap(&g, 0, 5)) assert(0); assert(g == 1);", True),
    ("g = 1; __sync_bool_compare_and_swap(&g, 1, 5); assert(g == 1);", False),
    ("g = 1; int o = __sync_val_compare_and_swap(&g, 1, 5); assert(o == 1 && g == 5);", True),
    ("g = 0; assert(~g == -1 && !g == 1);", True),
    ("unsigned short h = 65535; assert(h + 1 == 65536);", True),
    ("unsigned short h = 65535; h = h + 1; assert(h == 65536);", False),
    ("unsigned u = 3000000000u; assert((int)u < 0);", True),
    ("unsigned u = 3000000000u; long l = u; assert(l < 0);", False),
]

X = ["x == 0", "x == 1", "x == 2", "x <= 1", "x <= 2", "x >= 0", "x >= 1", "x >= 2"]
LOCK = ["m == 0", "m == 1", "m == 2", "m == 3", "m >= 1"]
WEAK = {"f": X + LOCK, "g": X + LOCK, "main": X + LOCK}
MUTEX = "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
LOCKED = "pthread_mutex_lock(&m); x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m);"
TWICE = "pthread_mutex_lock(&m); x = 2; assert(x == 2); x = 0; pthread_mutex_unlock(&m);"

# Threads: name, program, guesses, accepted.
THREADS = [
    ("both lock", two(MUTEX, LOCKED, TWICE), WEAK, True),
    ("one does not lock", two(MUTEX, LOCKED, "x = 2; x = 0;"), WEAK, False),
    ("locks another", two(MUTEX + " pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;", LOCKED, TWICE.replace("&m", "&n")), WEAK, False),
    ("unlocks early", two(MUTEX, LOCKED, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x = 2; x = 0;"), WEAK, False),
    ("tries, and goes on", two(MUTEX, LOCKED, "pthread_mutex_trylock(&m); x = 2; x = 0;"), WEAK, False),
    ("tries, and looks", two(MUTEX, LOCKED, "if (pthread_mutex_trylock(&m) == 0) { x = 2; x = 0; pthread_mutex_unlock(&m); }"), WEAK, True),
    ("looks the wrong way", two(MUTEX, LOCKED, "if (pthread_mutex_trylock(&m) != 0) { x = 2; x = 0; }"), WEAK, False),
    ("one writes", two("int x;", "x = 1;", "int y = x; assert(y <= 1);"), WEAK, True),
    ("one writes twice", two("int x;", "x = 1; x = 2;", "int y = x; assert(y <= 1);"), WEAK, False),
    ("says where it is itself", two("int x;", "x = 1; x = 2;", "int y = x; assert(y <= 1);"),
     {"f": [*X, "pc:f <= 0", "pc:f <= 1", "pc:f >= 2", "pc:f >= 5", "pc:g <= 1"], "g": [*X, "pc:g <= 0", "pc:g <= 1", "pc:g >= 2"]}, False),
    ("reads twice", two("int x;", "x = 1;", "assert(x == x);"), WEAK, False),
    ("reads once", two("int x;", "x = 1;", "int y = x; assert(y == y);"), WEAK, True),
    ("sum is read in two steps", two("int x;", "x = 1;", "assert(x + x != 1);"), WEAK, False),
    ("grows", two("int x;", "x = 1;", "int y = x; assert(x >= y);"), {**WEAK, "g": X + ["x - g::y >= 0", "g::y <= 1"]}, True),
    ("shrinks", two("int x = 1;", "x = 0;", "int y = x; assert(x >= y);"), {**WEAK, "g": X + ["x - g::y >= 0", "g::y <= 1"]}, False),
    ("order of writes", two("int x, y;", "x = 1; y = 1;", "if (y == 1) assert(x == 1);"), {**WEAK, "g": X + ["x - y >= 0"], "f": X + ["x - y >= 0", "y == 0"]}, True),
    ("other order", two("int x, y;", "y = 1; x = 1;", "if (y == 1) assert(x == 1);"), {**WEAK, "g": X + ["x - y >= 0"], "f": X + ["x - y >= 0", "y == 0"]}, False),
    ("after both", two("int x;", "x = 1;", "", "assert(x == 1);"), WEAK, None),
    ("lost update", two("int x;", "x = x + 1;", "x = x + 1;", "assert(x == 2);"), WEAK, False),
    ("lost update, compound", two("int x;", "x += 1;", "x++;", "assert(x == 2);"), WEAK, False),
    ("atomic section", two("int x;", "__VERIFIER_atomic_begin(); x = 1; x = 0; __VERIFIER_atomic_end();", "assert(x == 0);"), WEAK, True),
    ("no atomic section", two("int x;", "x = 1; x = 0;", "assert(x == 0);"), WEAK, False),
    ("atomic section that ends early", two("int x;", "__VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end(); x = 0;", "assert(x == 0);"), WEAK, False),
    ("writes before it waits", two("int x; int never;", "x = 1; __VERIFIER_assume(never);", "assert(x == 0);"), WEAK, False),
    ("writes before a section that it cannot leave",
     two("int x;", "int k = __VERIFIER_nondet_int(); __VERIFIER_assume(k != 0); x = 1; __VERIFIER_atomic_begin(); __VERIFIER_assume(k == 0); __VERIFIER_atomic_end();", "assert(x == 0);"), WEAK, False),
    ("a function ends the section", two("int x; static void leave(void) { __VERIFIER_atomic_end(); }",
                                        "__VERIFIER_atomic_begin(); x = 1; leave(); x = 0;", "assert(x == 0);"), WEAK, False),
    ("a function begins the section", two("int x; static void enter(void) { __VERIFIER_atomic_begin(); }",
                                          "enter(); x = 1; x = 0; __VERIFIER_atomic_end();", "assert(x == 0);"), WEAK, True),
    ("writes before it overflows", two("int x;", "int i = 2147483647; x = 1; i = i + 1;", "assert(x == 0);"), WEAK, False),
    ("writes before it ends", two("int x;", "x = 1; pthread_exit(0);", "assert(x == 0);"), WEAK, False),
    ("does not write", two("int x;", "if (0) x = 1;", "assert(x == 0);"), WEAK, True),
    ("another copy writes", many("int x;", "x = 1; assert(x == 1); x = 0;"), {"f": X}, False),
    ("copies lock", many(MUTEX, LOCKED), {"f": X + ["m - f::self == 0", "m == 0"]}, True),
    ("copies do not lock", many(MUTEX, LOCKED.replace("pthread_mutex_lock(&m);", "")), {"f": X + ["m - f::self == 0", "m == 0"]}, False),
    ("copies may lock", many(MUTEX, LOCKED.replace("pthread_mutex_lock(&m);", "if (__VERIFIER_nondet_int()) pthread_mutex_lock(&m); else x = 0;")),
     {"f": X + ["m - f::self == 0", "m == 0"]}, False),
    ("copies only set", many("int x;", "x = 1; assert(x == 1);"), {"f": X}, True),
    ("created too early", HEAD + "int x;\nvoid *f(void *arg) { assert(x == 1); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; return 0; }\n", WEAK, False),
    ("created in time", HEAD + "int x;\nvoid *f(void *arg) { assert(x == 1); return 0; }\nint main(void) { pthread_t t; x = 1; pthread_create(&t, 0, f, 0); return 0; }\n", WEAK, True),
    ("argument", HEAD + "int x;\nvoid *f(void *arg) { assert((long)arg == 3); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)4L); return 0; }\n", WEAK, False),
    ("not joined", HEAD + "int x;\nvoid *f(void *arg) { x = 1; x = 0; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0); return 0; }\n", WEAK, False),
]

# Refused: a text, and a part of the reason.
REFUSED = [
    (alone("int *p = &g; *p = 1; assert(g);"), "pointer"),
    (alone("float f = 1; assert(f > 0);"), "type"),
    (alone("int *p = malloc(4);"), "pointer"),
    (HEAD + "int f(int n) { return n ? f(n - 1) : 0; }\nint main(void) { return f(3); }\n", "recursion"),
    (HEAD + "union { int a; char b; } u;\nint main(void) { u.a = 1; return 0; }\n", "union"),
    (HEAD + "_Thread_local int x;\nint main(void) { x = 1; return 0; }\n", "each thread"),
    (alone("if (g) __VERIFIER_atomic_begin(); g = 1; if (g) __VERIFIER_atomic_end();"), "atomic"),
    (alone("int x = __VERIFIER_nondet_int(), y = x; assert(x * y >= 0);"), "product"),
    (alone("int x = g ?: 3;"), "not covered"),
    (alone("int x = __atomic_load_n(&g, 5);"), "not covered"),
    (HEAD.replace("#include <assert.h>", "#define _GNU_SOURCE\n#include <assert.h>")
     + "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\nint main(void) { pthread_mutex_lock(&m); assert(0); return 0; }\n", "kind"),
    (HEAD + "int x;\nextern int printf(const char *, ...);\nint main(void) { printf(x++ ? \"a\" : \"b\"); assert(x == 0); return 0; }\n", "effects"),
    (alone("g = (__VERIFIER_atomic_begin(), 1) ? 2 : 3; __VERIFIER_atomic_end(); assert(g);"), "atomic section"),
    (alone("g = 1;"), "nothing to check"),
    (alone("asm(\"nop\");"), "not covered"),
]
