//! Threads and locks: POSIX and C11.

use super::{Cancel, KeyCall, Lock, Model, Signal, ThreadCall};

/// What glibc's macros of cleanup handlers call, and signals.
pub fn cleanup(name: &str) -> Option<Model> {
    Some(match name {
        "__sigsetjmp_cancel" | "__sigsetjmp" => Model::Cancel(Cancel::Jump),
        "__pthread_register_cancel" => Model::Cancel(Cancel::Push),
        "__pthread_unregister_cancel" => Model::Cancel(Cancel::Pop),
        "__pthread_unwind_next" => Model::Cancel(Cancel::Unwind),
        "signal" => Model::Signal(Signal::Set),
        "raise" => Model::Signal(Signal::Raise),
        "pause" => Model::Refuse("waiting for a signal is", "wait on a condition variable"),
        _ => return None,
    })
}

/// The model of a function of C11's `<threads.h>`; none for other names.
pub fn c11(name: &str) -> Option<Model> {
    Some(match name {
        "thrd_create" => Model::Thread(ThreadCall::Create11),
        "thrd_join" => Model::Thread(ThreadCall::Join11),
        "thrd_exit" => Model::Thread(ThreadCall::Exit),
        "thrd_current" => Model::Thread(ThreadCall::SelfId),
        "thrd_equal" => Model::Thread(ThreadCall::Equal),
        "thrd_detach" | "thrd_sleep" | "thrd_yield" | "mtx_destroy" | "cnd_destroy" => Model::Nothing,
        "call_once" => Model::Thread(ThreadCall::Once),
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
        "tss_create" => Model::Key(KeyCall::Create),
        "tss_delete" => Model::Key(KeyCall::Delete),
        "tss_get" => Model::Key(KeyCall::Get),
        "tss_set" => Model::Key(KeyCall::Set),
        _ => return None,
    })
}

/// Threads and locks of POSIX, by what follows `pthread_`.
pub fn pthread(name: &str) -> Option<Model> {
    let prefixes = ["attr_set", "condattr_set", "rwlockattr_set", "barrierattr_set", "mutexattr_setp"];
    if prefixes.iter().any(|p| name.starts_with(p)) {
        return Some(Model::Nothing);
    }
    Some(match name {
        "create" => Model::Thread(ThreadCall::Create),
        "join" => Model::Thread(ThreadCall::Join),
        "tryjoin_np" => Model::Thread(ThreadCall::TryJoin(16)),
        "timedjoin_np" | "clockjoin_np" => Model::Thread(ThreadCall::TryJoin(110)),
        "exit" => Model::Thread(ThreadCall::Exit),
        "self" => Model::Thread(ThreadCall::SelfId),
        "equal" => Model::Thread(ThreadCall::Equal),
        "once" => Model::Thread(ThreadCall::Once),
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
        "key_create" => Model::Key(KeyCall::Create),
        "key_delete" => Model::Key(KeyCall::Delete),
        "getspecific" => Model::Key(KeyCall::Get),
        "setspecific" => Model::Key(KeyCall::Set),
        "yield"
        | "detach"
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
        "cancel" => Model::Cancel(Cancel::Request),
        "testcancel" => Model::Cancel(Cancel::Test),
        "setcancelstate" => Model::Cancel(Cancel::State),
        "setcanceltype" => Model::Cancel(Cancel::Kind),
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
        "kill" | "sigqueue" => Model::Refuse("a signal to a thread is", "use a flag that it reads"),
        "mutex_consistent" | "mutex_consistent_np" | "mutex_getprioceiling" | "mutex_setprioceiling" => {
            Model::Refuse("robust mutexes and priorities are", "use a normal, recursive or errorcheck mutex")
        }
        "atfork" => Model::Refuse("creating processes is", "use threads"),
        _ => return None,
    })
}
