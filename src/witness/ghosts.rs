//! Ghost variables: whether a mutex is locked.
//!
//! Programs cannot read their mutexes, and invariants of threads speak of what holds while one is free. A mutex gets
//! a ghost where all that is done to it stands in statements that do nothing else.

use super::places::location;
use super::{Ghost, Update};
use relyant_frontend::c::outline::{CallAt, Effect, Outline};
use std::collections::BTreeMap;

/// Functions on mutexes, and what a mutex is after them.
const CALLS: [(&str, Option<&str>); 4] = [
    ("pthread_mutex_lock", Some("1")),
    ("pthread_mutex_unlock", Some("0")),
    ("pthread_mutex_init", None),
    ("pthread_mutex_destroy", None),
];

/// The ghosts that are possible, by mutex.
pub fn of_mutexes(outline: &Outline) -> BTreeMap<String, (Ghost, Vec<Update>)> {
    let mut calls: BTreeMap<&str, Vec<(&CallAt, Option<&str>)>> = BTreeMap::new();
    for c in &outline.calls {
        let known = CALLS.iter().find(|(name, _)| *name == c.name);
        if let (Some((_, after)), Some(mutex)) = (known, &c.first) {
            calls.entry(mutex).or_default().push((c, *after));
        }
    }
    let is_local = |name: &str| outline.statements.iter().any(|s| s.scope.iter().any(|l| l == name));
    let mut out = BTreeMap::new();
    for (mutex, calls) in calls {
        let whole = |c: &CallAt| {
            let s = &outline.statements[c.statement];
            s.effect == Effect::Call && s.start == c.start
        };
        // One that is initialised may be of another kind.
        let initialised = calls.iter().any(|(c, _)| c.name == "pthread_mutex_init" && !c.plain);
        let all = outline.uses.get(mutex) == Some(&calls.len());
        if !all || initialised || is_local(mutex) || !calls.iter().all(|(c, _)| whole(c)) {
            continue;
        }
        let mut name = format!("{mutex}_locked");
        while outline.uses.contains_key(&name) || is_local(&name) || outline.globals.contains(&name) {
            name.push('_');
        }
        let updates = calls.iter().filter_map(|(c, after)| {
            let s = &outline.statements[c.statement];
            let location = location(outline, s.start, &s.function);
            Some(Update { location, variable: name.clone(), value: (*after)?.into() })
        });
        let updates = updates.collect();
        out.insert(mutex.to_string(), (Ghost { name, initial: "0".into() }, updates));
    }
    out
}
