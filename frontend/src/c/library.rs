//! The table of modelled functions. A function with a body in the file is lowered from its body, except where the
//! table says that its name decides.

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
    /// The first argument.
    First,
    /// The absolute value.
    Abs,
    /// Thread functions.
    Thread(Thread),
    /// Locks and the like.
    Lock(Lock),
    /// Atomic access.
    Atomic(Atomic),
    /// Makes an object.
    Allocate {
        /// Filled with 0.
        zero: bool,
    },
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
    Join,
    Exit,
    SelfId,
    Equal,
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Lock {
    MutexInit,
    MutexTake,
    MutexTry,
    MutexUnlock,
    AttributeKind,
    AttributeInit,
    SpinInit,
    ReadTake,
    ReadTry,
    WriteTake,
    WriteTry,
    RwUnlock,
    RwInit,
    CondWait,
    CondTimedWait,
    SemInit,
    SemWait,
    SemTry,
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

/// The model of a function, by name.
pub fn model(name: &str) -> Option<Model> {
    if let Some(a) = atomic(name) {
        return Some(Model::Atomic(a));
    }
    if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") {
        return Some(Model::Nondet);
    }
    Some(match name {
        "reach_error" | "__VERIFIER_error" => Model::Error("reach_error"),
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => Model::Error("assertion"),
        "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => Model::Assert,
        "__VERIFIER_assume" | "__CPROVER_assume" | "assume" | "assume_abort_if_not" | "glb_init" => {
            Model::Assume
        }
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | super::tokens::ATOMIC_BLOCK => Model::Begin,
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => Model::End,
        "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "__builtin_trap" | "__builtin_abort" => {
            Model::Halt
        }
        "__builtin_unreachable" => Model::Stuck,
        "__CPROVER_predicate" | "__CPROVER_input" | "__CPROVER_output" | "__CPROVER_cover" => Model::Hint,
        "__builtin_expect" => Model::First,
        "abs" | "labs" | "llabs" => Model::Abs,
        "rand" | "random" | "lrand48" | "mrand48" | "getpid" | "clock" | "getchar" | "atoi" | "atol"
        | "atoll" | "atof" => Model::Nondet,
        "printf" | "fprintf" | "puts" | "putchar" | "fputs" | "fputc" | "perror" | "fflush" | "vprintf"
        | "putc" => Model::Pure,
        "scanf" | "__isoc99_scanf" => Model::Scan(1),
        "sscanf" | "fscanf" | "__isoc99_sscanf" | "__isoc99_fscanf" => Model::Scan(2),
        "sprintf" => Model::Print { limited: false },
        "snprintf" => Model::Print { limited: true },
        "time" | "gettimeofday" => Model::Into(0),
        "clock_gettime" => Model::Into(1),
        "fabs" | "fabsf" | "__builtin_fabs" | "__builtin_fabsf" => Model::Magnitude,
        "sleep"
        | "usleep"
        | "nanosleep"
        | "sched_yield"
        | "pthread_yield"
        | "pause"
        | "srand"
        | "srandom"
        | "thrd_yield"
        | "__sync_synchronize"
        | "__atomic_thread_fence"
        | "__atomic_signal_fence"
        | "atomic_thread_fence"
        | "atomic_signal_fence"
        | "__builtin_ia32_pause"
        | "__builtin_constant_p"
        | "__builtin_prefetch"
        | "pthread_detach"
        | "pthread_mutex_destroy"
        | "pthread_cond_destroy"
        | "pthread_cond_init"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "pthread_rwlock_destroy"
        | "pthread_spin_destroy"
        | "pthread_barrier_destroy"
        | "sem_destroy"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setdetachstate"
        | "pthread_attr_setstacksize"
        | "pthread_attr_setscope"
        | "pthread_mutexattr_destroy"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy"
        | "pthread_setconcurrency" => Model::Nothing,
        "malloc" | "__builtin_malloc" => Model::Allocate { zero: false },
        "calloc" => Model::Allocate { zero: true },
        "free" | "cfree" => Model::Free,
        "memset" | "__builtin_memset" | "__builtin___memset_chk" => Model::Memory(Memory::Set),
        "bzero" => Model::Memory(Memory::Zero),
        "memcpy" | "__builtin_memcpy" | "__builtin___memcpy_chk" => Model::Memory(Memory::Copy),
        "memmove" | "__builtin_memmove" | "__builtin___memmove_chk" => Model::Memory(Memory::Move),
        "memcmp" | "__builtin_memcmp" => Model::Memory(Memory::Compare),
        "strlen" | "__builtin_strlen" => Model::Text(Text::Length),
        "strnlen" => Model::Text(Text::LengthWithin),
        "strcmp" | "__builtin_strcmp" => Model::Text(Text::Compare),
        "strncmp" | "__builtin_strncmp" => Model::Text(Text::CompareWithin),
        "strcpy" | "__builtin_strcpy" | "__builtin___strcpy_chk" => Model::Text(Text::Copy),
        "strncpy" | "__builtin_strncpy" | "__builtin___strncpy_chk" => Model::Text(Text::CopyWithin),
        "strcat" | "__builtin_strcat" => Model::Text(Text::Append),
        "strncat" | "__builtin_strncat" => Model::Text(Text::AppendWithin),
        "strchr" | "index" | "__builtin_strchr" => Model::Text(Text::Find),
        "pthread_create" => Model::Thread(Thread::Create),
        "pthread_join" => Model::Thread(Thread::Join),
        "pthread_exit" => Model::Thread(Thread::Exit),
        "pthread_self" => Model::Thread(Thread::SelfId),
        "pthread_equal" => Model::Thread(Thread::Equal),
        "pthread_once" => Model::Thread(Thread::Once),
        "pthread_mutex_init" => Model::Lock(Lock::MutexInit),
        "pthread_mutex_lock" => Model::Lock(Lock::MutexTake),
        "pthread_mutex_trylock" => Model::Lock(Lock::MutexTry),
        "pthread_mutex_unlock" => Model::Lock(Lock::MutexUnlock),
        "pthread_mutexattr_settype" => Model::Lock(Lock::AttributeKind),
        "pthread_mutexattr_init" => Model::Lock(Lock::AttributeInit),
        "pthread_spin_init" => Model::Lock(Lock::SpinInit),
        "pthread_spin_lock" => Model::Lock(Lock::MutexTake),
        "pthread_spin_trylock" => Model::Lock(Lock::MutexTry),
        "pthread_spin_unlock" => Model::Lock(Lock::MutexUnlock),
        "pthread_rwlock_init" => Model::Lock(Lock::RwInit),
        "pthread_rwlock_rdlock" => Model::Lock(Lock::ReadTake),
        "pthread_rwlock_tryrdlock" => Model::Lock(Lock::ReadTry),
        "pthread_rwlock_wrlock" => Model::Lock(Lock::WriteTake),
        "pthread_rwlock_trywrlock" => Model::Lock(Lock::WriteTry),
        "pthread_rwlock_unlock" => Model::Lock(Lock::RwUnlock),
        "pthread_cond_wait" => Model::Lock(Lock::CondWait),
        "pthread_cond_timedwait" => Model::Lock(Lock::CondTimedWait),
        "sem_init" => Model::Lock(Lock::SemInit),
        "sem_wait" => Model::Lock(Lock::SemWait),
        "sem_trywait" => Model::Lock(Lock::SemTry),
        "sem_post" => Model::Lock(Lock::SemPost),
        "sem_getvalue" => Model::Lock(Lock::SemValue),
        "pthread_barrier_init" => Model::Lock(Lock::BarrierInit),
        "pthread_barrier_wait" => Model::Lock(Lock::BarrierWait),
        "pthread_key_create" | "pthread_key_delete" | "pthread_setspecific" | "pthread_getspecific" => {
            Model::Refuse("thread-specific data by key is", "use a `_Thread_local` object")
        }
        "pthread_cancel" | "pthread_setcancelstate" | "pthread_testcancel" | "pthread_kill" => {
            Model::Refuse("cancelling threads is", "end the thread by a flag it reads")
        }
        "realloc" | "alloca" | "__builtin_alloca" | "aligned_alloc" | "posix_memalign" => Model::Refuse(
            "dynamic memory is",
            "use static objects; memory made at run time has no name to reason about",
        ),
        "setjmp" | "_setjmp" | "longjmp" | "sigsetjmp" | "siglongjmp" => {
            Model::Refuse("jumping between functions is", "return a status instead")
        }
        "fork" | "vfork" | "clone" | "execve" => Model::Refuse("creating processes is", "use threads"),
        "signal" | "sigaction" | "raise" | "kill" | "alarm" => Model::Refuse("signals are", "use threads"),
        "atexit" | "on_exit" | "at_quick_exit" => {
            Model::Refuse("functions run at exit are", "call them before the end")
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
