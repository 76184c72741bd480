//! Both accesses of a data race as text.

use super::replay::{ActiveCall, RacingAccess, Trace};
use relyant_cfa::Use;
use std::fmt::Write;

/// Both accesses of a data race; nothing where there is none. `name` says what a thread is called.
pub fn accesses(trace: &Trace, name: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    if let Some(s) = &trace.race {
        let verb = s.about_to.as_ref().map_or(Use::Access, |a| a.access()).verb();
        let at = if s.line > 0 { format!(" at {}:{}", s.file, s.line) } else { String::new() };
        let line =
            format!("  {} was about to {verb} it{at}  {}", name(&s.thread_name), cut(&s.statement, 48));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    trace.accesses.iter().for_each(|a| out.push_str(&access(a, &name(&a.thread_name))));
    out
}

/// A line on one of two accesses that race.
fn access(a: &RacingAccess, name: &str) -> String {
    let locks = match a.locks.as_slice() {
        [] => "no lock held".to_string(),
        [one] => format!("lock held: {one}"),
        many => format!("locks held: {}", many.join(", ")),
    };
    let created = match &a.created {
        Some((file, line, column)) if *line > 0 => format!(", thread created at {file}:{line}:{column}"),
        _ => String::new(),
    };
    let at = if a.line > 0 { format!(" at {}:{}:{}", a.file, a.line, a.column) } else { String::new() };
    let mut out = format!("access: {} by {name}{at}, {locks}{created}\n", a.access.verb());
    for ActiveCall { function, called } in &a.calls {
        if let Some((file, line, column)) = called {
            let _ = writeln!(out, "  in {function}, called at {file}:{line}:{column}");
        }
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
