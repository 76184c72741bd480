//! Writer of thread transition systems.

use crate::model::{Config, Counts, Initial, System, Target, Transition};
use crate::{Unwritable, UnwritableStep};
use std::fmt::Write;

/// A system as text.
///
/// # Errors
/// Why it cannot be written in this format.
pub fn write_system(system: &System) -> Result<String, Unwritable> {
    let mut out = String::new();
    let _ = writeln!(out, "{} {}", system.shared, system.local.max(1));
    for i in &system.initial {
        let _ = writeln!(out, "# initial: {}", initial(i));
    }
    for t in &system.transitions {
        transition(t, &mut out).map_err(|why| Unwritable::Step { line: t.place.line, why })?;
    }
    Ok(out)
}

fn transition(t: &Transition, out: &mut String) -> Result<(), UnwritableStep> {
    if !t.absent.is_empty() {
        return Err(UnwritableStep::Absence);
    }
    if t.transfers.iter().any(|x| x.to.is_empty()) {
        return Err(UnwritableStep::Ends);
    }
    if t.take.is_empty() && t.put.is_empty() && !t.transfers.is_empty() {
        for x in &t.transfers {
            for to in &x.to {
                let _ = writeln!(out, "{} {} ~> {} {to}", t.from, x.from, t.to);
            }
        }
        return Ok(());
    }
    let single = |c: &Counts| (c.total() == 1).then(|| c.iter().next().map(|x| x.0)).flatten();
    let Some(mover) = single(&t.take) else {
        return Err(UnwritableStep::Takes(t.take.total()));
    };
    let (arrow, moved) = match single(&t.put) {
        Some(l) => ("->", l),
        None => {
            let born = t.put.without(&t.take);
            match single(&born) {
                Some(l) if t.put.total() == 2 => ("+>", l),
                _ => return Err(UnwritableStep::NoMove),
            }
        }
    };
    let _ = write!(out, "{} {mover} {arrow} {} {moved}", t.from, t.to);
    for x in &t.transfers {
        for to in &x.to {
            let _ = write!(out, " {} ~> {to}", x.from);
        }
    }
    out.push('\n');
    Ok(())
}

fn list(c: &Counts) -> String {
    let each = c.iter().flat_map(|(l, n)| (0..n).map(move |_| l.to_string()));
    each.collect::<Vec<_>>().join(",")
}

/// As options have it, `s|b/u`: what is empty is left out with its sign.
pub fn initial(i: &Initial) -> String {
    let any: Vec<String> = i.any.iter().map(u32::to_string).collect();
    let bound = if i.exactly.locals.is_empty() && !any.is_empty() {
        String::new()
    } else {
        format!("|{}", list(&i.exactly.locals))
    };
    let any = if any.is_empty() { String::new() } else { format!("/{}", any.join(",")) };
    format!("{}{bound}{any}", i.exactly.shared)
}

/// A target as text.
pub fn write_target(target: &Target) -> String {
    target.iter().map(|c: &Config| format!("{}|{}\n", c.shared, list(&c.locals))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn comes_back() {
        let text = "2 3\n0 0 -> 1 1 2 ~> 0 2 ~> 1\n1 1 +> 0 2\n1 1 +> 0 1\n0 1 ~> 1 2\n";
        let s = read::system(text).unwrap();
        let back = read::system(&write_system(&s).unwrap()).unwrap();
        let bare = |s: &System| {
            let strip = |t: &Transition| Transition { place: Default::default(), ..t.clone() };
            s.transitions.iter().map(strip).collect::<Vec<_>>()
        };
        assert_eq!(bare(&s), bare(&back));
        let mut s = s;
        let t = read::target("1|2,0,2\n", &mut s).unwrap();
        assert_eq!(read::target(&write_target(&t.0), &mut s).unwrap(), t);
        assert_eq!(initial(&read::initial("0|1/2", &s).unwrap()), "0|1/2");
    }
}
