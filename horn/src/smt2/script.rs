//! The commands of a file.

use super::Smt2Error;
use super::build::{Builder, Symbol};
use super::cases::clauses;
use super::sexp::{Position, Sexp, SexpId, Sexps, parse};
use crate::clause::{ClauseError, Relation, System};
use rustc_hash::FxHashMap;

/// The sort of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A mathematical integer, as the standard has it.
    Int,
    /// A truth value, 0 or 1 in the clauses.
    Bool,
}

/// The clauses of a file, and what is needed to say more about them in its terms.
pub struct Script {
    /// The clauses; relations in the order of their declarations.
    pub system: System,
    /// The sorts of each relation's parameters.
    pub sorts: Vec<Vec<Sort>>,
    declared: Vec<Position>,
}

impl Script {
    /// An error of the clauses as one of the file.
    pub(crate) fn complain(&self, e: &ClauseError) -> Smt2Error {
        let at = match e {
            ClauseError::Recursive(name) => self
                .system
                .relations()
                .position(|r| self.system.name(r) == name)
                .and_then(|i| self.declared.get(i)),
            _ => None,
        };
        let what = match e {
            ClauseError::Recursive(_) => format!("{e}: only recursion-free clauses are supported"),
            _ => e.to_string(),
        };
        at.copied().unwrap_or(Position { line: 1, column: 1 }).error(what)
    }
}

/// Reads a file up to its `(check-sat)`.
pub fn read(text: &str) -> Result<Script, Smt2Error> {
    let (sexps, commands) = parse(text)?;
    let mut script = Script { system: System::new(), sorts: Vec::new(), declared: Vec::new() };
    let mut names: FxHashMap<String, Symbol> = FxHashMap::default();
    let mut checked = false;
    let mut last = Position { line: 1, column: 1 };
    for c in commands {
        last = sexps.position(c);
        let parts = sexps.list(c, "a command")?;
        let Some((&head, args)) = parts.split_first() else { return Err(last.error("empty command")) };
        let name = sexps.symbol(head, "a command")?;
        if checked && matches!(name, "assert" | "check-sat" | "declare-fun" | "declare-const" | "declare-var")
        {
            return Err(last.error(format!("'{name}' after (check-sat): only one query is supported")));
        }
        match (name, args) {
            ("set-logic", [l]) => {
                let logic = sexps.symbol(*l, "a logic")?;
                if logic != "HORN" {
                    return Err(sexps
                        .position(*l)
                        .error(format!("logic {logic} is not supported, only HORN")));
                }
            }
            ("set-info" | "set-option" | "get-model" | "get-info" | "echo", _) => {}
            ("exit", []) => break,
            ("check-sat", []) => checked = true,
            ("declare-fun", [n, params, result]) => {
                let params = sexps.list(*params, "a list of sorts")?;
                let sorts = params.iter().map(|s| sort(&sexps, *s)).collect::<Result<Vec<_>, _>>()?;
                declare(&sexps, &mut script, &mut names, *n, sorts, *result)?;
            }
            ("declare-const", [n, result]) => {
                declare(&sexps, &mut script, &mut names, *n, Vec::new(), *result)?
            }
            ("declare-var", [n, s]) => {
                let s = sort(&sexps, *s)?;
                let name = fresh_name(&sexps, &names, *n)?;
                names.insert(name, Symbol::Variable(s));
            }
            ("assert", [t]) => {
                let mut b = Builder::new(&sexps, &names, &script.sorts);
                let term = b.formula(*t)?;
                for clause in clauses(&b, term, last)? {
                    script.system.add(clause).map_err(|e| last.error(e.to_string()))?;
                }
            }
            (
                "set-logic" | "exit" | "check-sat" | "declare-fun" | "declare-const" | "declare-var"
                | "assert",
                _,
            ) => return Err(last.error(format!("wrong number of arguments to '{name}'"))),
            _ => return Err(sexps.position(head).error(format!("command '{name}' is not supported"))),
        }
    }
    if checked { Ok(script) } else { Err(last.error("no (check-sat)")) }
}

pub(super) fn sort(sexps: &Sexps, s: SexpId) -> Result<Sort, Smt2Error> {
    let at = sexps.position(s);
    match sexps.get(s) {
        Sexp::Symbol(n) if n == "Int" => Ok(Sort::Int),
        Sexp::Symbol(n) if n == "Bool" => Ok(Sort::Bool),
        Sexp::Symbol(n) => Err(at.error(format!("sort {n} is not supported, only Int and Bool"))),
        Sexp::List(_) => Err(at.error("compound sorts are not supported, only Int and Bool")),
        _ => Err(at.error("expected a sort")),
    }
}

fn fresh_name(sexps: &Sexps, names: &FxHashMap<String, Symbol>, n: SexpId) -> Result<String, Smt2Error> {
    let name = sexps.symbol(n, "a name")?;
    if names.contains_key(name) {
        return Err(sexps.position(n).error(format!("'{name}' is declared twice")));
    }
    Ok(name.to_string())
}

fn declare(
    sexps: &Sexps,
    script: &mut Script,
    names: &mut FxHashMap<String, Symbol>,
    n: SexpId,
    sorts: Vec<Sort>,
    result: SexpId,
) -> Result<(), Smt2Error> {
    let name = fresh_name(sexps, names, n)?;
    if sort(sexps, result)? != Sort::Bool {
        return Err(sexps.position(result).error("a function or constant over Int is not a Horn relation"));
    }
    let relation: Relation = script.system.relation(&name, sorts.len());
    script.sorts.push(sorts);
    script.declared.push(sexps.position(n));
    names.insert(name, Symbol::Relation(relation));
    Ok(())
}
