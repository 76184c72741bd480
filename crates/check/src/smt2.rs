//! Obligations as SMT-LIB 2 files, one each, for any solver to find unsatisfiable.

use super::decide::Conditions;
use super::formula::{Formula, Linear, Symbol};
use super::ghosts::Claims;
use super::obligations::Obligations;
use super::ordered::Swaps;
use num_bigint::{BigInt, Sign};
use num_traits::One;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// Writes every obligation into the directory, `00001-CS1.smt2` and so on, those about ghosts and swaps last. Files of an earlier run are
/// removed. Gives the number of files.
pub fn write_all(obligations: &Obligations, ghosts: &Claims, swaps: &Swaps, dir: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(dir)?;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_ours) {
            std::fs::remove_file(entry.path())?;
        }
    }
    let mut number = 0;
    let mut write = |name: &str, text: String| {
        number += 1;
        std::fs::write(dir.join(format!("{number:05}-{name}.smt2")), text)
    };
    obligations.list().iter().try_for_each(|o| write(o.name(), text(obligations, o)))?;
    ghosts.list().iter().try_for_each(|o| write("ghosts", text(ghosts, o)))?;
    swaps.list().iter().try_for_each(|o| write("swap", text(swaps, o)))?;
    Ok(number)
}

fn is_ours(name: &str) -> bool {
    let parts = name.strip_suffix(".smt2").and_then(|x| x.split_once('-'));
    let digits = |s: &str| s.len() >= 5 && s.bytes().all(|b| b.is_ascii_digit());
    let known = |s: &str| ["CS1", "CS2", "CS3", "CS4", "CS5", "tickets", "ghosts", "swap"].contains(&s);
    parts.is_some_and(|(k, rule)| digits(k) && known(rule))
}

/// One obligation as an SMT-LIB 2 script.
pub fn text<C: Conditions>(of: &C, o: &C::Item) -> String {
    let formula = of.formula(o);
    let mut used = BTreeSet::new();
    formula.symbols(&mut used);
    let names = names(of, &used);
    let title: String = of.title(o).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut out = format!("; {title}\n; holds if and only if this is unsatisfiable\n");
    out.push_str("(set-info :status unsat)\n(set-logic QF_LIA)\n");
    for name in names.values() {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(out, "(declare-fun {name} () Int)");
    }
    let parts = match &formula {
        Formula::And(parts) => parts,
        other => std::slice::from_ref(other),
    };
    for part in parts {
        out.push_str("(assert ");
        print(&mut out, part, &names);
        out.push_str(")\n");
    }
    out.push_str("(check-sat)\n");
    out
}

type Names = BTreeMap<Symbol, String>;

fn names<C: Conditions>(of: &C, used: &BTreeSet<Symbol>) -> Names {
    let mut taken = BTreeSet::new();
    let mut name_it = |s: &Symbol| {
        let allowed = |c: char| if c == '|' || c == '\\' || !(' '..='~').contains(&c) { '_' } else { c };
        let plain: String = of.symbol(*s).chars().map(allowed).collect();
        let mut name = format!("|{plain}|");
        let mut k = 1usize;
        while !taken.insert(name.clone()) {
            k += 1;
            name = format!("|{plain} ({k})|");
        }
        (*s, name)
    };
    used.iter().map(&mut name_it).collect()
}

fn print(out: &mut String, f: &Formula, names: &Names) {
    match f {
        Formula::Const(b) => {
            let _ = write!(out, "{b}");
        }
        Formula::Le(e) => compare(out, "<=", e, names),
        Formula::Eq(e) => compare(out, "=", e, names),
        Formula::Not(f) => list(out, "not", std::slice::from_ref(&**f), names),
        Formula::And(fs) => list(out, "and", fs, names),
        Formula::Or(fs) => list(out, "or", fs, names),
    }
}

fn list(out: &mut String, op: &str, fs: &[Formula], names: &Names) {
    let _ = write!(out, "({op}");
    for f in fs {
        out.push(' ');
        print(out, f, names);
    }
    out.push(')');
}

/// Writes `(op terms -constant)`: the terms compared with the negated constant.
fn compare(out: &mut String, op: &str, e: &Linear, names: &Names) {
    let _ = write!(out, "({op} ");
    if e.terms.len() > 1 {
        out.push_str("(+");
    }
    for (s, c) in &e.terms {
        if e.terms.len() > 1 {
            out.push(' ');
        }
        let name = names.get(s).map_or("", |n| n);
        if c.is_one() {
            out.push_str(name);
        } else {
            let _ = write!(out, "(* {} {name})", number(c));
        }
    }
    match e.terms.len() {
        0 => out.push('0'),
        1 => {}
        _ => out.push(')'),
    }
    let _ = write!(out, " {})", number(&-&e.constant));
}

/// A number as SMT-LIB has it.
pub fn number(n: &BigInt) -> String {
    if n.sign() == Sign::Minus { format!("(- {})", n.magnitude()) } else { n.to_string() }
}
