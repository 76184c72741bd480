//! The C library and what verifiers call, apart from threads and atomic operations.

use super::super::alloc::Allocate;
use super::{
    Bits, Class, Failure, FloatClass, Lock, MemoryCall, Model, Precision, Rounding, Scanned, Signal, TextCall,
};

/// The model of a function of `<ctype.h>`; none for other names.
pub fn class(name: &str) -> Option<Model> {
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

/// Functions on floating-point numbers that are computed exactly, under the rounding mode that a program starts with, and classes of
/// these.
pub fn rounding(name: &str) -> Option<Model> {
    let (name, precision) = match name.strip_suffix('f') {
        Some(single) => (single, Precision::Single),
        None => (name, Precision::Double),
    };
    let how = match name {
        "floor" => Rounding::Floor,
        "ceil" => Rounding::Ceil,
        "trunc" => Rounding::Trunc,
        "round" | "lround" | "llround" => Rounding::Round,
        "rint" | "nearbyint" | "lrint" | "llrint" => Rounding::Nearest,
        "sqrt" => Rounding::Root,
        "isnan" => return Some(Model::FloatClass(FloatClass::Nan)),
        // `isinf`, which is for a `double`.
        "isin" if precision == Precision::Single => return Some(Model::FloatClass(FloatClass::Infinite)),
        "isinf" | "isinf_sign" => return Some(Model::FloatClass(FloatClass::Infinite)),
        "isfinite" | "finite" => return Some(Model::FloatClass(FloatClass::Finite)),
        _ => return None,
    };
    Some(Model::Rounded(how, precision))
}

/// A function by its whole name.
pub fn by_name(name: &str) -> Option<Model> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => Model::Error(Failure::ReachError),
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => {
            Model::Error(Failure::Assertion)
        }
        "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => Model::Assert,
        "__VERIFIER_assume" | "__CPROVER_assume" | "assume" | "assume_abort_if_not" | "glb_init" => {
            Model::Assume
        }
        super::super::tokens::COMPATIBLE => Model::Compatible,
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | super::super::tokens::ATOMIC_BLOCK => {
            Model::Begin
        }
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => Model::End,
        "exit" => Model::Exit,
        "abort" | "_exit" | "_Exit" | "quick_exit" => Model::Halt,
        // Its fence orders nothing that is not ordered already.
        "__CPROVER_predicate"
        | "__CPROVER_input"
        | "__CPROVER_output"
        | "__CPROVER_cover"
        | "__CPROVER_fence" => Model::Hint,
        "abs" | "labs" | "llabs" | "imaxabs" => Model::Abs,
        "ffs" => Model::Bits(Bits::FirstSet, 32),
        "ffsl" => Model::Bits(Bits::FirstSet, 0),
        "ffsll" => Model::Bits(Bits::FirstSet, 64),
        "htons" | "ntohs" => Model::Bits(Bits::Swap, 16),
        "htonl" | "ntohl" => Model::Bits(Bits::Swap, 32),
        "__relyant_errno" => Model::SetErrno,
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Model::Scan(Scanned::Input),
        "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => Model::Scan(Scanned::Text),
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => Model::Scan(Scanned::File),
        "sprintf" | "vsprintf" => Model::Print { limited: false },
        "snprintf" | "vsnprintf" => Model::Print { limited: true },
        "fabs" | "fabsf" => Model::Magnitude,
        "sigemptyset"
        | "sigfillset"
        | "sigaddset"
        | "sigdelset"
        | "sigprocmask"
        | "__atomic_signal_fence"
        | "atomic_signal_fence"
        | "__builtin_va_end"
        | "sem_destroy" => Model::Nothing,
        "__builtin_va_start" => Model::List { copy: false },
        "__builtin_va_copy" => Model::List { copy: true },
        "__sync_synchronize" | "__atomic_thread_fence" | "atomic_thread_fence" => Model::Fence,
        "alloca" => Model::Allocate(Allocate::Automatic),
        "malloc" | "valloc" => Model::Allocate(Allocate::Plain),
        "calloc" => Model::Allocate(Allocate::Zero),
        "realloc" => Model::Allocate(Allocate::Again),
        "aligned_alloc" | "memalign" => Model::Allocate(Allocate::Aligned),
        "posix_memalign" => Model::Allocate(Allocate::Into),
        "free" | "cfree" => Model::Free,
        "memset" => Model::Memory(MemoryCall::Set),
        "bzero" => Model::Memory(MemoryCall::Zero),
        "memcpy" => Model::Memory(MemoryCall::Copy),
        "memmove" => Model::Memory(MemoryCall::Move),
        "memcmp" => Model::Memory(MemoryCall::Compare),
        "strlen" => Model::Text(TextCall::Length),
        "strnlen" => Model::Text(TextCall::LengthWithin),
        "strcmp" => Model::Text(TextCall::Compare),
        "strncmp" => Model::Text(TextCall::CompareWithin),
        "strcpy" => Model::Text(TextCall::Copy),
        "strncpy" => Model::Text(TextCall::CopyWithin),
        "strcat" => Model::Text(TextCall::Append),
        "strncat" => Model::Text(TextCall::AppendWithin),
        "strchr" | "index" => Model::Text(TextCall::Find),
        "sem_init" => Model::Lock(Lock::SemInit),
        "sem_wait" => Model::Lock(Lock::SemWait),
        "sem_trywait" => Model::Lock(Lock::SemTry),
        "sem_timedwait" | "sem_clockwait" => Model::Lock(Lock::SemTimed),
        "sem_post" => Model::Lock(Lock::SemPost),
        "sem_getvalue" => Model::Lock(Lock::SemValue),
        "sem_open" | "sem_close" | "sem_unlink" => {
            Model::Refuse("semaphores with names are", "make the semaphore with sem_init")
        }
        "freopen" => Model::Refuse("opening files again is", "open another file"),
        "qsort" => Model::Sort { search: false },
        "bsearch" => Model::Sort { search: true },
        "qsort_r" | "lfind" | "lsearch" => {
            Model::Refuse("calling back from the library is", "sort or search with a function of the file")
        }
        "setjmp" | "_setjmp" | "longjmp" | "sigsetjmp" | "siglongjmp" => {
            Model::Refuse("jumping between functions is", "return a status instead")
        }
        "fork" | "vfork" | "clone" | "execve" => Model::Refuse("creating processes is", "use threads"),
        "sigaction" => Model::Signal(Signal::Action),
        "kill" => Model::Signal(Signal::Kill),
        "alarm" => Model::Signal(Signal::Alarm),
        "div" | "ldiv" | "lldiv" => Model::Divide,
        "atexit" => Model::AtExit,
        "on_exit" | "at_quick_exit" => Model::Refuse("functions run at exit are", "call them before the end"),
        "__ctype_b_loc" | "__ctype_toupper_loc" | "__ctype_tolower_loc" => {
            Model::Refuse("the library's table of characters is", "preprocess with -D__NO_CTYPE")
        }
        _ => return None,
    })
}
