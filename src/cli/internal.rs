//! Panics of our own code. They are bugs, never a verdict, and never a crash.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the message of a panic instead of printing it.
pub fn quiet_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let text = format!("{}{place}", message(info.payload()));
        LAST.with(|last| *last.borrow_mut() = Some(text));
    }));
}

/// A panic, with its message and where known its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("internal error: {0}")]
pub struct Panicked(String);

/// Runs `f`; a panic becomes its message.
pub fn guarded<T>(f: impl FnOnce() -> T) -> Result<T, Panicked> {
    panic::catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        Panicked(LAST.with(|last| last.borrow_mut().take()).unwrap_or_else(|| message(&*payload)))
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}
