//! How large a stack may be.

/// Smallest stack that is ever asked for.
const LEAST: usize = 8 << 20;

/// The size that is wanted, or less where address space is limited: the rest is needed, too.
pub fn fitting(wanted: usize) -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a system call on memory of this function.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    match known && limit.rlim_cur != libc::RLIM_INFINITY {
        true => wanted.min((limit.rlim_cur / 8) as usize).max(LEAST),
        false => wanted,
    }
}
