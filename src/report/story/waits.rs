//! Who waits for what in a deadlock.

use super::{Awaited, Story, Wait};
use relyant_cfa::Shown;
use relyant_interp::{Blocked, Trace};

/// A line for each thread that has not ended.
pub(super) fn of(t: &Trace) -> Vec<Wait> {
    let wait = |w: &relyant_interp::Waiting| {
        let mut wait = Wait {
            thread: w.thread as usize,
            file: w.file.clone(),
            line: w.line,
            text: w.statement.clone(),
            ..Wait::default()
        };
        match &w.blocked {
            Some(Blocked::End(n)) => {
                wait.what = Awaited::End;
                wait.whom = Some(*n as usize);
            }
            Some(Blocked::Cell { name, shown, holder, value }) => {
                wait.what = match shown {
                    Shown::Waiting | Shown::Woken => Awaited::Signal,
                    Shown::Readers => Awaited::Readers,
                    Shown::Available => Awaited::Semaphore,
                    Shown::Owner => Awaited::Lock,
                    Shown::Arrived => Awaited::Barrier,
                    Shown::Hidden | Shown::Freed => Awaited::Unknown,
                    _ => Awaited::Value,
                };
                wait.whom = holder.map(|h| h as usize).filter(|h| *h < t.threads.len());
                wait.object.clone_from(name);
                if wait.what == Awaited::Value {
                    wait.value.clone_from(value);
                }
            }
            None => {}
        }
        wait
    };
    t.waiting.iter().map(wait).collect()
}

impl Wait {
    /// Who waits where, and for what.
    pub fn line(&self, story: &Story) -> String {
        let at = if self.line > 0 { format!(" at {}:{}", self.file, self.line) } else { String::new() };
        format!("{} waits{at} for {}", story.name(self.thread), self.words(story))
    }

    /// What it waits for, in words.
    pub fn words(&self, story: &Story) -> String {
        let whom = self.whom.map(|h| story.name(h));
        let object = &self.object;
        match self.what {
            Awaited::End => format!("{} to end", whom.unwrap_or("a thread")),
            Awaited::Signal => format!("a signal of {object}"),
            Awaited::Readers => format!("{object}, which readers hold"),
            Awaited::Semaphore => format!("{object}, which is 0"),
            Awaited::Lock => whom.map_or(object.clone(), |h| format!("{object}, which {h} holds")),
            Awaited::Barrier => format!("others to come to {object}"),
            Awaited::Value => format!("another value of {object} than {}", self.value),
            Awaited::Unknown => "what nobody does any more".to_string(),
        }
    }
}
