//! A process that only waits for the one that works, so that no death of that one is left without an answer: where memory
//! runs out, an allocation aborts, a stack meets another, or the system kills the largest process.

use std::mem::zeroed;
use std::ptr::null_mut;

/// Exit statuses that are an answer.
const ANSWERS: std::ops::RangeInclusive<i32> = 0..=3;

/// Goes on in a child of this process, without a result. This process passes signals on, and ends as the child does; if
/// the child is lost, goes on as well: why it was lost.
pub fn supervised() -> Option<String> {
    // SAFETY: no other thread runs yet, so that the child may go on after `fork`; all else is system calls on numbers
    // and on memory of this function.
    unsafe {
        let mut signals: libc::sigset_t = zeroed();
        let mut before: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut signals);
        for s in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGCHLD] {
            libc::sigaddset(&mut signals, s);
        }
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // What the child leaves behind becomes ours, see below.
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, &mut before);
        let own = libc::getpid();
        let child = libc::fork();
        if child <= 0 {
            if child == 0 {
                // So that it can end what it has started.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                if libc::getppid() != own {
                    libc::_exit(super::exit::Status::Unknown.code());
                }
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
            return None;
        }
        let status = loop {
            match libc::sigwaitinfo(&signals, null_mut()) {
                libc::SIGCHLD => {
                    let mut status = 0;
                    match libc::waitpid(child, &mut status, libc::WNOHANG) {
                        0 => {}
                        n if n == child => break status,
                        _ => libc::_exit(super::exit::Status::Unknown.code()),
                    }
                }
                -1 => {}
                signal => {
                    libc::kill(child, signal);
                }
            }
        };
        if libc::WIFEXITED(status) && ANSWERS.contains(&libc::WEXITSTATUS(status)) {
            libc::_exit(libc::WEXITSTATUS(status));
        }
        reap();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
        Some(reason(status))
    }
}

/// Kills what a lost child has started.
fn reap() {
    let own = std::process::id();
    loop {
        let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        let children: Vec<i32> = list.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        if children.is_empty() {
            return;
        }
        for child in children {
            // SAFETY: system calls on the number of a child that has not been waited for.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, null_mut(), 0);
            }
        }
    }
}

/// What a status says to people.
fn reason(status: i32) -> String {
    if !libc::WIFSIGNALED(status) {
        return format!("internal error: exit status {}", libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGKILL => "killed, as the system does where memory runs out".into(),
        libc::SIGINT => "interrupted".into(),
        libc::SIGTERM | libc::SIGHUP => "terminated".into(),
        n if relyant_cfa::memory::address_space_kib().is_some() => {
            format!("out of memory under the limit of address space, or an internal error: signal {n}")
        }
        n => format!("internal error: signal {n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons() {
        assert!(reason(libc::SIGKILL).contains("memory"));
        assert!(reason(libc::SIGABRT).contains("internal error") && reason(libc::SIGHUP) == "terminated");
        assert_eq!(reason(101 << 8), "internal error: exit status 101");
    }
}
