//! Who waits for what in a deadlock.

use super::{Story, Wait};
use relyant_cfa::Shown;
use relyant_interp::{Blocked, Trace};

/// A line for each thread that has not ended.
pub fn of(story: &Story, t: &Trace) -> Vec<Wait> {
    let wait = |w: &relyant_interp::Waiting| {
        let (what, whom) = match &w.blocked {
            Some(Blocked::End(n)) => (format!("{} to end", story.name(*n as usize)), Some(*n as usize)),
            Some(Blocked::Cell { name, shown, holder, value }) => {
                let holder = holder.map(|h| h as usize);
                let held = holder.map_or(String::new(), |h| format!(", which {} holds", story.name(h)));
                let what = match shown {
                    Shown::Waiting | Shown::Woken => format!("a signal of {name}"),
                    Shown::Readers => format!("{name}, which readers hold"),
                    Shown::Available => format!("{name}, which is 0"),
                    Shown::Owner => format!("{name}{held}"),
                    Shown::Arrived | Shown::Hidden | Shown::Freed => "others to come".to_string(),
                    _ => format!("another value of {name} than {value}"),
                };
                (what, holder)
            }
            None => ("nobody knows".to_string(), None),
        };
        let lock = match &w.blocked {
            Some(Blocked::Cell { name, shown: Shown::Owner | Shown::Readers, .. }) => name.clone(),
            _ => String::new(),
        };
        Wait {
            lock,
            thread: w.thread as usize,
            file: w.file.clone(),
            line: w.line,
            text: w.statement.clone(),
            what,
            whom,
        }
    };
    t.waiting.iter().map(wait).collect()
}
