//! Types of files that are one program: each file has its own, and two may have the same name.

use super::Unit;
use super::items::{Item, after_groups, declared, is_record};
use crate::c::mend::skip_group;
use crate::c::tokens::{Token, TokenKind};
use crate::c::types::Sync;
use std::collections::{BTreeMap, BTreeSet};

/// C's name spaces of what stands outside of functions (C11 6.2.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Space {
    /// What comes after `struct`, `union`, `enum`.
    Tag,
    /// Types with a name, enumerators, objects, functions.
    Ordinary,
}

/// New names, by name space and name.
pub type Renamed = BTreeMap<(Space, String), String>;

/// The names that an item gives to types and enumerators.
fn types<'s>(text: &'s str, item: &Item) -> Vec<(Space, &'s str)> {
    let tokens = item.tokens;
    let word = |k: usize| tokens.get(k).map_or("", |t: &Token| &text[t.start..t.end]);
    let is_word = |k: usize| tokens.get(k).is_some_and(|t| t.kind == TokenKind::Word);
    let mut out = Vec::new();
    if item.is_typedef {
        out.extend(declared(text, tokens).into_iter().map(|n| (Space::Ordinary, n)));
    }
    for k in 0..tokens.len() {
        if item.has_body && word(k) == "{" && word(k.wrapping_sub(1)) == ")" {
            break;
        }
        if !is_record(word(k)) && word(k) != "enum" {
            continue;
        }
        let mut at = after_groups(text, tokens, k + 1);
        let tag = is_word(at).then(|| word(at));
        at = after_groups(text, tokens, at + usize::from(tag.is_some()));
        if word(at) != "{" {
            continue;
        }
        out.extend(tag.map(|t| (Space::Tag, t)));
        if word(k) == "enum" {
            let end = skip_group(text, tokens, at);
            let mut depth = 0usize;
            for j in at..end {
                match word(j) {
                    "{" | "(" | "[" => depth += 1,
                    "}" | ")" | "]" => depth = depth.saturating_sub(1),
                    w if depth == 1 && is_word(j) && matches!(word(j - 1), "{" | ",") => {
                        out.push((Space::Ordinary, w));
                    }
                    _ => {}
                }
            }
        }
    }
    out
}

/// Has a name of a type a meaning of its own?
fn is_modelled(name: &str) -> bool {
    Sync::by_name(name).is_some() || name == "atomic_flag" || name.starts_with("__")
}

/// An item of a file, and the names of types that it gives.
type Named<'a> = (&'a Item<'a>, Vec<(Space, &'a str)>);

/// New names of types that files have different ones of, for each file. Files whose types are the same share a name.
///
/// Where a name has a type in one file only, and no other file has that word, it stays.
pub fn rename(units: &[Unit], fresh: &dyn Fn(&str, usize) -> String) -> Vec<Renamed> {
    let mut renamed: Vec<Renamed> = vec![Renamed::new(); units.len()];
    let own: Vec<Vec<Named>> = units
        .iter()
        .map(|u| {
            let user = u.items.iter().filter(|i| !i.system);
            user.map(|i| (i, types(u.text, i))).filter(|(_, names)| !names.is_empty()).collect()
        })
        .collect();
    // Each round tells apart at least one more.
    loop {
        // What each file says of a name.
        let mut said: BTreeMap<(Space, &str), BTreeMap<usize, String>> = BTreeMap::new();
        for (k, items) in own.iter().enumerate() {
            for (item, names) in items {
                let text = units[k].spelled(item, &renamed[k]);
                for name in names {
                    let all = said.entry(*name).or_default().entry(k).or_default();
                    all.push_str(&text);
                    all.push('\n');
                }
            }
        }
        let mut next: Vec<Renamed> = vec![Renamed::new(); units.len()];
        for ((space, name), by) in &said {
            let texts: BTreeSet<&String> = by.values().collect();
            // In another file the word is something else.
            let other = *space == Space::Ordinary
                && units.iter().enumerate().any(|(k, u)| !by.contains_key(&k) && u.words.contains(name));
            if texts.len() < 2 && !other || is_modelled(name) {
                continue;
            }
            for (k, text) in by {
                let first = by.iter().find(|(_, t)| *t == text).map_or(*k, |(j, _)| *j);
                next[*k].insert((*space, name.to_string()), fresh(name, first));
            }
        }
        if next == renamed {
            return renamed;
        }
        renamed = next;
    }
}
