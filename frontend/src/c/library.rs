//! The table of modelled functions, by name. A function with a body in the file is lowered from its body, except where
//! the table says that its name decides. One that is neither here nor defined is refused where it gets a pointer or
//! its result is one; else it changes nothing, its result is any value, and the report says so.
//!
//! To add a function, put its name in [`model`]: beside its like where one of the models below says what it does
//! (`Pure` for output, `Fills` for what fills objects of the caller, `Nothing` for what nobody can observe, `Refuse` with
//! what to do instead), else with a model of its own, which `calls.rs` hands to the file that lowers it.

use crate::cfa::BinOp;

use super::alloc::Allocate;

/// What a known function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Reaching the call violates the property.
    Error(&'static str),
    /// The first argument must hold.
    Assert,
    /// Goes on only where the first argument holds.
    Assume,
    /// Any value of the result's type.
    Nondet,
    /// A byte, or -1.
    Byte,
    /// Begins an atomic section.
    Begin,
    /// Ends it.
    End,
    /// Ends the program.
    Halt,
    /// Never goes on.
    Stuck,
    /// Arguments are evaluated, nothing else; the result is any value.
    Pure,
    /// A hint to a verifier: nothing, not even its arguments are evaluated.
    Hint,
    /// Arguments are evaluated, nothing else; the result is 0.
    Nothing,
    /// The first argument, as a `long`.
    First,
    /// Arguments at these positions, where not null, point to what gets any value; the result is 0.
    Fills(&'static [usize]),
    /// A number from a string; nothing but null may be the second argument.
    ToNumber,
    /// Where `errno` is.
    Errno,
    /// 1 if the argument is constant.
    IsConstant,
    /// Are two types the same?
    Compatible,
    /// The second or the third argument, by the first, which is constant.
    Choose,
    /// A size that the compiler may know.
    ObjectSize,
    /// Counts or moves bits; the width, or 0 for that of `long`.
    Bits(Bits, u8),
    /// Arithmetic that tells whether its result fits.
    Overflow {
        /// The operation.
        op: BinOp,
        /// Arguments of any types.
        generic: bool,
        /// Stores what fits.
        stores: bool,
    },
    /// Is a character of a class?
    Classify(Class),
    /// To upper or to lower case.
    ChangeCase {
        /// To upper.
        upper: bool,
    },
    /// Thread-specific data.
    Key(Key),
    /// The absolute value.
    Abs,
    /// Thread functions.
    Thread(Thread),
    /// Locks and the like of POSIX.
    Lock(Lock),
    /// The same with the results of C11's `<threads.h>`.
    Lock11(Lock),
    /// Atomic access.
    Atomic(Atomic),
    /// Makes an object.
    Allocate(Allocate),
    /// Gives memory back.
    Free,
    /// Clearing and copying objects.
    Memory(Memory),
    /// Writes any values through its arguments from this one on.
    Scan(usize),
    /// Writes any text to its first argument.
    Print {
        /// The second is its length.
        limited: bool,
    },
    /// Writes any value through this argument.
    Into(usize),
    /// The absolute value of a floating-point number.
    Magnitude,
    /// Strings.
    Text(Text),
    /// Refused: what it is, and what to do.
    Refuse(&'static str, &'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Thread {
    Create,
    /// `thrd_create`: the routine comes second and gives an `int`.
    Create11,
    Join,
    Join11,
    /// Gives at once what the argument says if the thread has not ended.
    TryJoin(i128),
    Exit,
    SelfId,
    Equal,
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Key {
    Create,
    Delete,
    Get,
    Set,
}

/// What is done with the bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Bits {
    Ones,
    Parity,
    LeadingZeros,
    TrailingZeros,
    /// 1 for the lowest one, 0 for none.
    FirstSet,
    /// Bytes in the other order.
    Swap,
}

/// A class of characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Class {
    Upper,
    Lower,
    Alpha,
    Digit,
    HexDigit,
    Space,
    Print,
    Graph,
    Blank,
    Control,
    Punctuation,
    AlphaNumeric,
}

impl Class {
    /// Its ranges in the C locale, and what glibc has for true.
    pub fn ranges(self) -> (&'static [(i128, i128)], i128) {
        match self {
            Class::Upper => (&[(65, 90)], 256),
            Class::Lower => (&[(97, 122)], 512),
            Class::Alpha => (&[(65, 90), (97, 122)], 1024),
            Class::Digit => (&[(48, 57)], 2048),
            Class::HexDigit => (&[(48, 57), (65, 70), (97, 102)], 4096),
            Class::Space => (&[(9, 13), (32, 32)], 8192),
            Class::Print => (&[(32, 126)], 16384),
            Class::Graph => (&[(33, 126)], 32768),
            Class::Blank => (&[(9, 9), (32, 32)], 1),
            Class::Control => (&[(0, 31), (127, 127)], 2),
            Class::Punctuation => (&[(33, 47), (58, 64), (91, 96), (123, 126)], 4),
            Class::AlphaNumeric => (&[(48, 57), (65, 90), (97, 122)], 8),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Lock {
    MutexInit,
    MutexTake,
    MutexTry,
    MutexTimed,
    MutexUnlock,
    AttributeKind,
    AttributeInit,
    AttributeRead,
    AttributeRobust,
    SpinInit,
    ReadTake,
    ReadTry,
    ReadTimed,
    WriteTake,
    WriteTry,
    WriteTimed,
    RwUnlock,
    RwInit,
    CondInit,
    CondWait,
    CondTimedWait,
    CondSignal,
    CondBroadcast,
    SemInit,
    SemWait,
    SemTry,
    SemTimed,
    SemPost,
    SemValue,
    BarrierInit,
    BarrierWait,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Memory {
    Set,
    /// `bzero`
    Zero,
    Copy,
    /// The objects may overlap.
    Move,
    Compare,
}

/// Functions on strings; `Within`: with a number of characters at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Text {
    Length,
    LengthWithin,
    Compare,
    CompareWithin,
    Copy,
    CopyWithin,
    Append,
    AppendWithin,
    Find,
}

/// How an atomic operation computes the new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Rmw {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Exchange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Atomic {
    Load,
    Store,
    /// Value through a second pointer.
    LoadInto,
    StoreFrom,
    ExchangeInto,
    /// Gives the old value.
    Fetch(Rmw),
    /// Gives the new value.
    Apply(Rmw),
    /// Sets to 1 and gives the old value.
    TestAndSet,
    Clear,
    /// `(p, &expected, desired)`, gives success.
    CompareExchange {
        desired_pointer: bool,
        weak: Weak,
    },
    /// `(p, old, new)`, gives success or the old value.
    CompareAndSwap {
        gives_old: bool,
    },
}

/// May a compare-exchange fail though the values agree?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Weak {
    Yes,
    No,
    /// As the fourth argument says.
    Argument,
}

/// Its name decides what it does, even where the file gives it a body.
pub fn name_decides(name: &str) -> bool {
    matches!(
        name,
        "reach_error"
            | "__VERIFIER_error"
            | "__assert_fail"
            | "__VERIFIER_atomic_begin"
            | "__VERIFIER_atomic_end"
            | "__CPROVER_atomic_begin"
            | "__CPROVER_atomic_end"
    )
}

fn rmw(name: &str) -> Option<Rmw> {
    Some(match name {
        "add" => Rmw::Add,
        "sub" => Rmw::Sub,
        "and" => Rmw::And,
        "or" => Rmw::Or,
        "xor" => Rmw::Xor,
        "nand" => Rmw::Nand,
        _ => return None,
    })
}

fn atomic(name: &str) -> Option<Atomic> {
    if let Some(rest) = name.strip_prefix("__sync_") {
        return Some(match rest {
            "bool_compare_and_swap" => Atomic::CompareAndSwap { gives_old: false },
            "val_compare_and_swap" => Atomic::CompareAndSwap { gives_old: true },
            "lock_test_and_set" => Atomic::Fetch(Rmw::Exchange),
            "lock_release" => Atomic::Clear,
            _ => match (rest.strip_prefix("fetch_and_"), rest.strip_suffix("_and_fetch")) {
                (Some(op), _) => Atomic::Fetch(rmw(op)?),
                (_, Some(op)) => Atomic::Apply(rmw(op)?),
                _ => return None,
            },
        });
    }
    if let Some(rest) = name.strip_prefix("__atomic_") {
        return Some(match rest {
            "load_n" => Atomic::Load,
            "store_n" => Atomic::Store,
            "load" => Atomic::LoadInto,
            "store" => Atomic::StoreFrom,
            "exchange" => Atomic::ExchangeInto,
            "exchange_n" => Atomic::Fetch(Rmw::Exchange),
            "test_and_set" => Atomic::TestAndSet,
            "clear" => Atomic::Clear,
            "compare_exchange_n" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::Argument },
            "compare_exchange" => Atomic::CompareExchange { desired_pointer: true, weak: Weak::Argument },
            _ => match (rest.strip_prefix("fetch_"), rest.strip_suffix("_fetch")) {
                (Some(op), _) => Atomic::Fetch(rmw(op)?),
                (_, Some(op)) => Atomic::Apply(rmw(op)?),
                _ => return None,
            },
        });
    }
    let rest = name.strip_prefix("atomic_")?;
    let rest = rest.strip_suffix("_explicit").unwrap_or(rest);
    Some(match rest {
        "load" => Atomic::Load,
        "store" | "init" => Atomic::Store,
        "exchange" => Atomic::Fetch(Rmw::Exchange),
        "compare_exchange_strong" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::No },
        "compare_exchange_weak" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::Yes },
        "flag_test_and_set" => Atomic::TestAndSet,
        "flag_clear" => Atomic::Clear,
        _ => Atomic::Fetch(rmw(rest.strip_prefix("fetch_")?)?),
    })
}

/// Builtins that count bits: name, then nothing, `l`, `ll`, or a width.
fn bits(name: &str) -> Option<Model> {
    let families = [
        ("popcount", Bits::Ones),
        ("parity", Bits::Parity),
        ("clz", Bits::LeadingZeros),
        ("ctz", Bits::TrailingZeros),
        ("ffs", Bits::FirstSet),
        ("bswap", Bits::Swap),
    ];
    let (suffix, b) = families.iter().find_map(|(f, b)| Some((name.strip_prefix(f)?, *b)))?;
    let width = match (suffix, b) {
        ("16", Bits::Swap) => 16,
        ("32", Bits::Swap) => 32,
        ("64", Bits::Swap) => 64,
        (_, Bits::Swap) => return None,
        ("", _) => 32,
        ("l", _) => 0,
        ("ll", _) => 64,
        _ => return None,
    };
    Some(Model::Bits(b, width))
}

/// `add_overflow`, `saddl_overflow`, `add_overflow_p` and the like.
fn overflow(name: &str) -> Option<Model> {
    let (rest, stores) = match name.strip_suffix("_overflow_p") {
        Some(rest) => (rest, false),
        None => (name.strip_suffix("_overflow")?, true),
    };
    let operation = |n: &str| match n {
        "add" => Some(BinOp::Add),
        "sub" => Some(BinOp::Sub),
        "mul" => Some(BinOp::Mul),
        _ => None,
    };
    if let Some(op) = operation(rest) {
        return Some(Model::Overflow { op, generic: true, stores });
    }
    let rest = rest.strip_prefix(['s', 'u'])?;
    let op = operation(rest.get(..3)?).filter(|_| matches!(&rest[3..], "" | "l" | "ll"))?;
    Some(Model::Overflow { op, generic: false, stores: true })
}

/// `__memcpy_chk` is `memcpy`.
fn checked(name: &str) -> Option<&str> {
    let name = name.strip_prefix("__")?.strip_suffix("_chk")?;
    ["memset", "memcpy", "memmove", "strcpy", "strncpy", "strcat", "strncat"].contains(&name).then_some(name)
}

fn builtin(name: &str) -> Option<Model> {
    bits(name).or_else(|| overflow(name)).or_else(|| {
        Some(match name {
            "expect" | "expect_with_probability" => Model::First,
            "constant_p" => Model::IsConstant,
            "choose_expr" => Model::Choose,
            "object_size" | "dynamic_object_size" => Model::ObjectSize,
            "unreachable" => Model::Stuck,
            "trap" => Model::Halt,
            "prefetch" | "ia32_pause" => Model::Nothing,
            "alloca" => return model(name),
            _ => match model(checked(name).unwrap_or(name))? {
                m @ (Model::Pure
                | Model::Abs
                | Model::Magnitude
                | Model::Memory(_)
                | Model::Text(_)
                | Model::Halt
                | Model::Allocate(_)
                | Model::Free
                | Model::Classify(_)
                | Model::ChangeCase { .. }) => m,
                _ => return None,
            },
        })
    })
}

fn class(name: &str) -> Option<Model> {
    Some(Model::Classify(match name {
        "isupper" => Class::Upper,
        "islower" => Class::Lower,
        "isalpha" => Class::Alpha,
        "isdigit" => Class::Digit,
        "isxdigit" => Class::HexDigit,
        "isspace" => Class::Space,
        "isprint" => Class::Print,
        "isgraph" => Class::Graph,
        "isblank" => Class::Blank,
        "iscntrl" => Class::Control,
        "ispunct" => Class::Punctuation,
        "isalnum" => Class::AlphaNumeric,
        "toupper" => return Some(Model::ChangeCase { upper: true }),
        "tolower" => return Some(Model::ChangeCase { upper: false }),
        _ => return None,
    }))
}

/// C11's `<threads.h>`.
fn c11(name: &str) -> Option<Model> {
    Some(match name {
        "thrd_create" => Model::Thread(Thread::Create11),
        "thrd_join" => Model::Thread(Thread::Join11),
        "thrd_exit" => Model::Thread(Thread::Exit),
        "thrd_current" => Model::Thread(Thread::SelfId),
        "thrd_equal" => Model::Thread(Thread::Equal),
        "thrd_detach" | "thrd_sleep" | "thrd_yield" | "mtx_destroy" | "cnd_destroy" => Model::Nothing,
        "call_once" => Model::Thread(Thread::Once),
        "mtx_init" => Model::Lock11(Lock::MutexInit),
        "mtx_lock" => Model::Lock11(Lock::MutexTake),
        "mtx_trylock" => Model::Lock11(Lock::MutexTry),
        "mtx_timedlock" => Model::Lock11(Lock::MutexTimed),
        "mtx_unlock" => Model::Lock11(Lock::MutexUnlock),
        "cnd_init" => Model::Lock11(Lock::CondInit),
        "cnd_wait" => Model::Lock11(Lock::CondWait),
        "cnd_timedwait" => Model::Lock11(Lock::CondTimedWait),
        "cnd_signal" => Model::Lock11(Lock::CondSignal),
        "cnd_broadcast" => Model::Lock11(Lock::CondBroadcast),
        "tss_create" => Model::Key(Key::Create),
        "tss_delete" => Model::Key(Key::Delete),
        "tss_get" => Model::Key(Key::Get),
        "tss_set" => Model::Key(Key::Set),
        _ => return None,
    })
}

/// Threads and locks of POSIX, by what follows `pthread_`.
fn pthread(name: &str) -> Option<Model> {
    let prefixes = ["attr_set", "condattr_set", "rwlockattr_set", "barrierattr_set", "mutexattr_setp"];
    if prefixes.iter().any(|p| name.starts_with(p)) {
        return Some(Model::Nothing);
    }
    Some(match name {
        "create" => Model::Thread(Thread::Create),
        "join" => Model::Thread(Thread::Join),
        "tryjoin_np" => Model::Thread(Thread::TryJoin(16)),
        "timedjoin_np" | "clockjoin_np" => Model::Thread(Thread::TryJoin(110)),
        "exit" => Model::Thread(Thread::Exit),
        "self" => Model::Thread(Thread::SelfId),
        "equal" => Model::Thread(Thread::Equal),
        "once" => Model::Thread(Thread::Once),
        "mutex_init" => Model::Lock(Lock::MutexInit),
        "mutex_lock" => Model::Lock(Lock::MutexTake),
        "mutex_trylock" => Model::Lock(Lock::MutexTry),
        "mutex_timedlock" | "mutex_clocklock" | "mutex_reltimedlock_np" => Model::Lock(Lock::MutexTimed),
        "mutex_unlock" => Model::Lock(Lock::MutexUnlock),
        "mutexattr_settype" | "mutexattr_setkind_np" => Model::Lock(Lock::AttributeKind),
        "mutexattr_gettype" | "mutexattr_getkind_np" => Model::Lock(Lock::AttributeRead),
        "mutexattr_init" => Model::Lock(Lock::AttributeInit),
        "mutexattr_setrobust" | "mutexattr_setrobust_np" => Model::Lock(Lock::AttributeRobust),
        "spin_init" => Model::Lock(Lock::SpinInit),
        "spin_lock" => Model::Lock(Lock::MutexTake),
        "spin_trylock" => Model::Lock(Lock::MutexTry),
        "spin_unlock" => Model::Lock(Lock::MutexUnlock),
        "rwlock_init" => Model::Lock(Lock::RwInit),
        "rwlock_rdlock" => Model::Lock(Lock::ReadTake),
        "rwlock_tryrdlock" => Model::Lock(Lock::ReadTry),
        "rwlock_timedrdlock" | "rwlock_clockrdlock" => Model::Lock(Lock::ReadTimed),
        "rwlock_wrlock" => Model::Lock(Lock::WriteTake),
        "rwlock_trywrlock" => Model::Lock(Lock::WriteTry),
        "rwlock_timedwrlock" | "rwlock_clockwrlock" => Model::Lock(Lock::WriteTimed),
        "rwlock_unlock" => Model::Lock(Lock::RwUnlock),
        "cond_init" => Model::Lock(Lock::CondInit),
        "cond_wait" => Model::Lock(Lock::CondWait),
        "cond_timedwait" | "cond_clockwait" => Model::Lock(Lock::CondTimedWait),
        "cond_signal" => Model::Lock(Lock::CondSignal),
        "cond_broadcast" => Model::Lock(Lock::CondBroadcast),
        "barrier_init" => Model::Lock(Lock::BarrierInit),
        "barrier_wait" => Model::Lock(Lock::BarrierWait),
        "key_create" => Model::Key(Key::Create),
        "key_delete" => Model::Key(Key::Delete),
        "getspecific" => Model::Key(Key::Get),
        "setspecific" => Model::Key(Key::Set),
        "yield"
        | "detach"
        | "testcancel"
        | "mutex_destroy"
        | "cond_destroy"
        | "rwlock_destroy"
        | "spin_destroy"
        | "barrier_destroy"
        | "attr_init"
        | "attr_destroy"
        | "mutexattr_destroy"
        | "condattr_init"
        | "condattr_destroy"
        | "rwlockattr_init"
        | "rwlockattr_destroy"
        | "barrierattr_init"
        | "barrierattr_destroy"
        | "setconcurrency"
        | "setname_np"
        | "setaffinity_np"
        | "setschedparam"
        | "setschedprio"
        | "sigmask" => Model::Nothing,
        // Nobody cancels: that is refused.
        "setcancelstate" | "setcanceltype" => Model::Fills(&[1]),
        "attr_getdetachstate"
        | "attr_getstacksize"
        | "attr_getguardsize"
        | "attr_getscope"
        | "attr_getinheritsched"
        | "attr_getschedpolicy"
        | "attr_getschedparam"
        | "getcpuclockid"
        | "condattr_getclock"
        | "condattr_getpshared"
        | "mutexattr_getpshared"
        | "mutexattr_getprotocol"
        | "rwlockattr_getpshared"
        | "barrierattr_getpshared" => Model::Fills(&[1]),
        "getschedparam" => Model::Fills(&[1, 2]),
        "cancel" | "kill" => {
            Model::Refuse("stopping threads from outside is", "end the thread by a flag it reads")
        }
        "mutex_consistent" | "mutex_consistent_np" | "mutex_getprioceiling" | "mutex_setprioceiling" => {
            Model::Refuse("robust mutexes and priorities are", "use a normal, recursive or errorcheck mutex")
        }
        "atfork" => Model::Refuse("creating processes is", "use threads"),
        _ => return None,
    })
}

/// The model of a function, by name.
pub fn model(name: &str) -> Option<Model> {
    if let Some(a) = atomic(name) {
        return Some(Model::Atomic(a));
    }
    if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") {
        return Some(Model::Nondet);
    }
    if let Some(m) = name.strip_prefix("__builtin_").and_then(builtin) {
        return Some(m);
    }
    if let Some(m) = name.strip_prefix("pthread_").and_then(pthread) {
        return Some(m);
    }
    if let Some(m) = c11(name).or_else(|| class(name)) {
        return Some(m);
    }
    if super::errno::NAMES.contains(&name) {
        return Some(Model::Errno);
    }
    Some(match name {
        "reach_error" | "__VERIFIER_error" => Model::Error("reach_error"),
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => Model::Error("assertion"),
        "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => Model::Assert,
        "__VERIFIER_assume" | "__CPROVER_assume" | "assume" | "assume_abort_if_not" | "glb_init" => {
            Model::Assume
        }
        super::tokens::COMPATIBLE => Model::Compatible,
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | super::tokens::ATOMIC_BLOCK => Model::Begin,
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => Model::End,
        "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => Model::Halt,
        "__CPROVER_predicate" | "__CPROVER_input" | "__CPROVER_output" | "__CPROVER_cover" => Model::Hint,
        "abs" | "labs" | "llabs" => Model::Abs,
        "rand" | "random" | "lrand48" | "mrand48" | "getpid" | "getppid" | "getuid" | "gettid" | "clock"
        | "sysconf" | "sched_getcpu" | "get_nprocs" => Model::Nondet,
        "getchar" | "getc" | "fgetc" | "getchar_unlocked" | "getc_unlocked" => Model::Byte,
        "printf" | "fprintf" | "dprintf" | "vprintf" | "vfprintf" | "puts" | "putchar" | "fputs"
        | "fputc" | "putc" | "perror" | "fflush" | "fclose" | "feof" | "ferror" | "clearerr" | "fileno"
        | "setbuf" | "setvbuf" | "write" | "fwrite" | "getenv" | "atoi" | "atol" | "atoll" | "atof"
        | "strerror" | "syslog" | "openlog" | "closelog" => Model::Pure,
        "strtol" | "strtoul" | "strtoll" | "strtoull" => Model::ToNumber,
        "time" | "gettimeofday" => Model::Into(0),
        "clock_gettime" | "clock_getres" => Model::Into(1),
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Model::Scan(1),
        "sscanf" | "fscanf" | "__isoc99_sscanf" | "__isoc99_fscanf" | "__isoc23_sscanf"
        | "__isoc23_fscanf" => Model::Scan(2),
        "sprintf" => Model::Print { limited: false },
        "snprintf" => Model::Print { limited: true },
        "fabs" | "fabsf" => Model::Magnitude,
        "sleep"
        | "usleep"
        | "nanosleep"
        | "clock_nanosleep"
        | "sched_yield"
        | "pause"
        | "srand"
        | "srandom"
        | "srand48"
        | "sigemptyset"
        | "sigfillset"
        | "sigaddset"
        | "sigdelset"
        | "sigprocmask"
        | "__sync_synchronize"
        | "__atomic_thread_fence"
        | "__atomic_signal_fence"
        | "atomic_thread_fence"
        | "atomic_signal_fence"
        | "sem_destroy" => Model::Nothing,
        "malloc" | "alloca" | "valloc" => Model::Allocate(Allocate::Plain),
        "calloc" => Model::Allocate(Allocate::Zero),
        "realloc" => Model::Allocate(Allocate::Again),
        "aligned_alloc" | "memalign" => Model::Allocate(Allocate::Aligned),
        "posix_memalign" => Model::Allocate(Allocate::Into),
        "free" | "cfree" => Model::Free,
        "memset" => Model::Memory(Memory::Set),
        "bzero" => Model::Memory(Memory::Zero),
        "memcpy" => Model::Memory(Memory::Copy),
        "memmove" => Model::Memory(Memory::Move),
        "memcmp" => Model::Memory(Memory::Compare),
        "strlen" => Model::Text(Text::Length),
        "strnlen" => Model::Text(Text::LengthWithin),
        "strcmp" => Model::Text(Text::Compare),
        "strncmp" => Model::Text(Text::CompareWithin),
        "strcpy" => Model::Text(Text::Copy),
        "strncpy" => Model::Text(Text::CopyWithin),
        "strcat" => Model::Text(Text::Append),
        "strncat" => Model::Text(Text::AppendWithin),
        "strchr" | "index" => Model::Text(Text::Find),
        "sem_init" => Model::Lock(Lock::SemInit),
        "sem_wait" => Model::Lock(Lock::SemWait),
        "sem_trywait" => Model::Lock(Lock::SemTry),
        "sem_timedwait" | "sem_clockwait" => Model::Lock(Lock::SemTimed),
        "sem_post" => Model::Lock(Lock::SemPost),
        "sem_getvalue" => Model::Lock(Lock::SemValue),
        "sem_open" | "sem_close" | "sem_unlink" => {
            Model::Refuse("semaphores with names are", "make the semaphore with sem_init")
        }
        "fopen" | "fdopen" | "tmpfile" | "freopen" | "popen" => {
            Model::Refuse("opening files is", "read standard input, or leave the file out")
        }
        "qsort" | "qsort_r" | "bsearch" | "lfind" | "lsearch" => {
            Model::Refuse("calling back from the library is", "sort or search with a function of the file")
        }
        "setjmp" | "_setjmp" | "__sigsetjmp" | "longjmp" | "sigsetjmp" | "siglongjmp" => {
            Model::Refuse("jumping between functions is", "return a status instead")
        }
        "fork" | "vfork" | "clone" | "execve" => Model::Refuse("creating processes is", "use threads"),
        "signal" | "sigaction" | "raise" | "kill" | "alarm" => Model::Refuse("signals are", "use threads"),
        "atexit" | "on_exit" | "at_quick_exit" => {
            Model::Refuse("functions run at exit are", "call them before the end")
        }
        "__ctype_b_loc" | "__ctype_toupper_loc" | "__ctype_tolower_loc" => {
            Model::Refuse("the library's table of characters is", "preprocess with -D__NO_CTYPE")
        }
        _ => return None,
    })
}

/// The C type that the end of `__VERIFIER_nondet_…` names, for functions that are not declared.
pub fn nondet_type(name: &str) -> &'static str {
    let suffix = name.rsplit("nondet_").next().unwrap_or("");
    match suffix {
        "bool" | "_Bool" => "bool",
        "char" | "schar" | "s8" => "char",
        "uchar" | "u8" | "unsigned_char" => "uchar",
        "short" | "s16" => "short",
        "ushort" | "u16" | "unsigned_short" => "ushort",
        "uint" | "unsigned" | "unsigned_int" | "u32" => "uint",
        "long" | "ssize_t" | "off_t" => "long",
        "ulong" | "size_t" | "unsigned_long" => "ulong",
        "longlong" | "s64" | "long_long" => "longlong",
        "ulonglong" | "u64" => "ulonglong",
        "pointer" => "pointer",
        "float" => "float",
        "double" => "double",
        _ => "int",
    }
}
