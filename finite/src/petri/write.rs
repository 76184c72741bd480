//! Writer of mist's format.

use crate::model::{Config, Counts, Initial, Local, System, Target, Transition};
use crate::{Unwritable, UnwritableStep};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A system as a net. Shared states become places with one token.
///
/// # Errors
/// Why it cannot be one.
pub fn write_spec(system: &System, target: &Target) -> Result<String, Unwritable> {
    let names = Names::new(system);
    let [initial] = system.initial.as_slice() else {
        return Err(Unwritable::SeveralInitial);
    };
    let mut out = String::from("vars\n ");
    names.shared.iter().chain(&names.local).for_each(|n| out.push_str(&format!(" {n}")));
    out.push_str("\n\nrules\n");
    for t in &system.transitions {
        rule(t, &names, &mut out).map_err(|why| Unwritable::Step { line: t.place.line, why })?;
    }
    let _ = writeln!(out, "\ninit\n  {}\n\ntarget", start(initial, &names));
    for c in target {
        let mut list: Vec<String> = names.shared(c.shared).map(|s| format!("{s} >= 1")).into_iter().collect();
        list.extend(c.locals.iter().map(|(l, n)| format!("{} >= {n}", names.local(l))));
        if list.is_empty() {
            list.extend(names.local.first().map(|n| format!("{n} >= 0")));
        }
        let _ = writeln!(out, "  {}", list.join(", "));
    }
    Ok(out)
}

struct Names {
    shared: Vec<String>,
    local: Vec<String>,
}

impl Names {
    fn new(system: &System) -> Names {
        let shared = if system.shared <= 1 { 0 } else { system.shared };
        let good = |n: &String| {
            n.starts_with(|c: char| c.is_ascii_alphabetic())
                && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let distinct: std::collections::BTreeSet<&String> = system.names.local.iter().collect();
        let usable = system.names.local.len() == system.local as usize
            && distinct.len() == system.names.local.len()
            && system.names.local.iter().all(good)
            && shared == 0;
        let local = if usable {
            system.names.local.clone()
        } else {
            (0..system.local).map(|l| format!("l{l}")).collect()
        };
        Names { shared: (0..shared).map(|s| format!("s{s}")).collect(), local }
    }
    fn local(&self, l: Local) -> &str {
        self.local.get(l as usize).map_or("?", String::as_str)
    }
    fn shared(&self, s: u32) -> Option<&str> {
        self.shared.get(s as usize).map(String::as_str)
    }
}

fn rule(t: &Transition, names: &Names, out: &mut String) -> Result<(), UnwritableStep> {
    if t.transfers.iter().any(|x| x.to.len() > 1) {
        return Err(UnwritableStep::Choice);
    }
    let mut guard: Vec<String> = names.shared(t.from).map(|s| format!("{s} >= 1")).into_iter().collect();
    for (l, n) in t.take.iter().filter(|x| !t.absent.contains(&x.0)) {
        guard.push(format!("{} >= {n}", names.local(l)));
    }
    guard.extend(t.absent.iter().map(|l| format!("{} = {}", names.local(*l), t.take.get(*l))));
    // of each place: what is added to it, and where it comes from
    let mut sums: BTreeMap<Local, (i64, Vec<Local>)> = BTreeMap::new();
    let involved = t.take.iter().chain(t.put.iter()).map(|x| x.0);
    let moved = t.transfers.iter().flat_map(|x| x.to.iter().copied().chain([x.from]));
    for l in involved.chain(moved) {
        let stays = t.transfer(l).is_none();
        sums.entry(l).or_insert((0, if stays { vec![l] } else { Vec::new() }));
    }
    for x in &t.transfers {
        if let Some(sum) = x.to.first().and_then(|to| sums.get_mut(to)) {
            sum.1.push(x.from);
        }
    }
    let mut updates: Vec<String> = Vec::new();
    if t.from != t.to {
        updates.extend(names.shared(t.from).map(|s| format!("{s}' = {s} - 1")));
        updates.extend(names.shared(t.to).map(|s| format!("{s}' = {s} + 1")));
    }
    for (l, (_, from)) in sums {
        // the sum counts what was taken, too
        let taken: i64 = from.iter().map(|y| i64::from(t.take.get(*y))).sum();
        let constant = i64::from(t.put.get(l)) - taken;
        let mut text = from.iter().map(|y| names.local(*y).to_string()).collect::<Vec<_>>().join(" + ");
        if from == [l] && constant == 0 {
            continue;
        }
        if text.is_empty() {
            text = constant.to_string();
        } else if constant != 0 {
            let _ = write!(text, " {} {}", if constant < 0 { '-' } else { '+' }, constant.abs());
        }
        updates.push(format!("{}' = {text}", names.local(l)));
    }
    let _ = writeln!(out, "  {} -> {};", guard.join(", "), updates.join(", "));
    Ok(())
}

fn start(i: &Initial, names: &Names) -> String {
    let Config { shared, locals }: &Config = &i.exactly;
    let state = |(s, n): (usize, &String)| format!("{n} = {}", u32::from(s == *shared as usize));
    let mut list: Vec<String> = names.shared.iter().enumerate().map(state).collect();
    let counts: &Counts = locals;
    for (l, name) in (0..).zip(&names.local) {
        let sign = if i.any.contains(&l) { ">=" } else { "=" };
        list.push(format!("{name} {sign} {}", counts.get(l)));
    }
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::{Net, spec};
    use super::*;

    #[test]
    fn comes_back() {
        let text = "vars x y z\nrules\nx >= 1, y = 2 -> x' = x + z, z' = 0, y' = y - 1;\nz >= 1 -> z' = 0;\n\
            x >= 2 -> y' = x + y - 1, x' = 0;\nx >= 1 -> z' = z + 1;\ninit x >= 1, y = 2, z = 0\ntarget x >= 2, y >= 1\nz >= 1\n";
        let Net { system: s, target: t, .. } = spec(text).unwrap();
        let Net { system: back, target, .. } = spec(&write_spec(&s, &t).unwrap()).unwrap();
        let bare = |s: &System| {
            let strip = |t: &Transition| Transition { place: Default::default(), ..t.clone() };
            s.transitions.iter().map(strip).collect::<Vec<_>>()
        };
        assert_eq!(bare(&s), bare(&back));
        assert_eq!((t, s.initial), (target, back.initial));
    }
}
