//! The order of a proof in an order of preference, and which steps it lets commute.

use super::words::Names;
use relyant_program::ordered::{Letter, Ordered};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The order, and by pairs of lines how many steps there can be swapped; where that has a condition, under which.
pub(super) fn text(o: &Ordered) -> String {
    if !o.is_product() {
        return format!("with {}\n", o.words());
    }
    let mut out = format!("in order: {}\n", o.words());
    let line = |l: Letter| {
        let template = o.of.templates.get(l.0 as usize);
        let span = template.and_then(|t| Some(t.edges.get(l.1 as usize)?.span));
        let name = template.map_or("?", |t| &t.name);
        format!("{name} line {}", span.map_or(0, |s| s.line))
    };
    let names = Names { program: &o.of, own: None };
    let mut pairs: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    for s in &o.swaps {
        let when: Vec<String> = s.when.atoms().iter().map(|a| names.comparison(a)).collect();
        *pairs.entry((line(s.first), line(s.second), when.join(" && "))).or_default() += 1;
    }
    // Writing to a string does not fail.
    for ((first, second, when), _) in pairs.iter().filter(|p| !p.0.2.is_empty()) {
        let _ = writeln!(out, "{second} can be done before {first}, where {when}");
    }
    let always = pairs.keys().filter(|p| p.2.is_empty()).count();
    let _ = writeln!(out, "{always} other pairs of lines commute");
    out
}
