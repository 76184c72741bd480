//! What ends a check from outside: signals, and memory that runs out. A compiler that is at work ends with it.

use relyant_cfa::memory::{Exceeded, MemoryLimits};
use relyant_cfa::stack::fitting;
use relyant_frontend::c::compiler;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Stack of the thread that works: terms of a certificate may be deep.
const STACK: usize = 256 << 20;
/// How often memory is looked at.
const TICK: Duration = Duration::from_millis(20);

/// Is this signal ignored, as for what `nohup` starts?
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: a system call that writes to memory of this function.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// From now on a signal ends the compilers that this process has started, and then does what the system has it do.
pub fn end_on_signals() {
    let all = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !is_ignored(*s));
    let Ok(mut signals) = Signals::new(all) else { return };
    // Without this thread signals do what the system has them do.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            compiler::end();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Why work came to no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// It takes more memory than it may.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// The system gives no thread to work on.
    #[error("no thread could be started")]
    NoThread,
    /// A panic, which is a bug of ours.
    #[error("internal error")]
    Panic,
}

/// Does work on a thread of its own, with a large stack. Work that is lost may go on, so that the process should end.
///
/// # Errors
/// There is no result.
pub fn guarded<T: Send + 'static>(
    limits: &MemoryLimits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Lost> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let _ = sender.send(work());
    };
    std::thread::Builder::new().stack_size(fitting(STACK)).spawn(work).map_err(|_| Lost::NoThread)?;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => return Err(Lost::Panic),
            Err(RecvTimeoutError::Timeout) => limits.exceeded().map_or(Ok(()), Err)?,
        }
    }
}

/// Ends the process, whoever is still at work in it, and the compilers that it has started.
pub fn exit(status: i32) -> ! {
    compiler::end();
    signal_hook::low_level::exit(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_itself_or_is_lost() {
        let none = MemoryLimits { kib: None, asked: true, address_kib: None };
        let little = MemoryLimits { kib: Some(1), ..none };
        let endless = || std::thread::sleep(Duration::from_secs(600));
        assert_eq!(guarded(&none, || 7), Ok(7));
        let large = Lost::Memory(Exceeded::Memory { mib: 0, asked: true });
        assert_eq!(guarded(&little, endless), Err(large));
        assert_eq!(guarded(&none, || -> u32 { panic!("meant") }), Err(Lost::Panic));
    }
}
