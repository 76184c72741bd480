//! Which objects and functions an expression may point to.
//!
//! Inclusion-based and flow-insensitive after Andersen ("Program analysis and specialization for the C programming
//! language", 1994, chapter 4), on automata whose calls are inlined, so that each call has its own registers. Ours
//! tracks constant offsets into objects, and lets addresses flow through integers: any copy, cast, sum or bit
//! operation carries them on. A value made of an address by other arithmetic may point anywhere.

mod solve;

use crate::{BinOp, Expr, FuncId, Module, ObjId, Object, Program, UnOp};
use std::collections::BTreeSet;

/// What a value may point to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Targets {
    /// One of these: an object and the cell, if that is known; never out of bounds. May be empty: the value is no
    /// address, and an access through it is undefined.
    Objects(BTreeSet<(ObjId, Option<usize>)>),
    /// Nothing is known: any object and any function.
    Unknown,
}

/// One thing that a value may be, as far as addresses are concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fact {
    /// An address in an object, at a distance from its base if it is known.
    Object(ObjId, Option<i64>),
    /// The address of this function; distances that are added to it are ignored.
    Function(FuncId),
    /// Made from an address in a way that is not followed.
    Anything,
}

/// A set of facts, sorted.
pub type Facts = BTreeSet<Fact>;

/// So many known distances into one object are kept apart in a set.
const OFFSETS: usize = 64;

/// Result of the analysis.
#[derive(Clone, Debug)]
pub struct PointsTo {
    /// `registers[template][register]`: what the register may hold, at any location.
    registers: Vec<Vec<Facts>>,
    /// Facts of each cell, by object; then those of stores at unknown distances, of 32 bits in the last entry, of other
    /// kinds before it.
    cells: Vec<Vec<Facts>>,
    /// Stored through addresses that may be anything.
    anywhere: Facts,
    /// `sizes[object]`: its number of cells.
    sizes: Vec<usize>,
    /// `open[object]`: it may have more cells than are known.
    open: Vec<bool>,
    /// What threads return to those that join them, of all templates together.
    exits: Facts,
    /// `returns[automaton][procedure]`: what each procedure of a template returns; a function of a module has one
    /// entry.
    returns: Vec<Vec<Facts>>,
}

impl PointsTo {
    /// Analyses a program whose calls are inlined, or procedures. What is found holds in every run that has no
    /// undefined behaviour.
    pub fn new(program: &Program) -> PointsTo {
        let graphs: Vec<_> = program
            .templates
            .iter()
            .map(|t| solve::Automaton {
                registers: t.registers.len(),
                params: t.param.into_iter().collect(),
                graph: &t.graph,
                procedures: Some(&t.procedures),
            })
            .collect();
        solve::solve(&program.objects, &graphs)
    }

    /// Analyses a module: functions take the place of templates, one activation stands for all.
    pub fn of_module(module: &Module) -> PointsTo {
        let graphs: Vec<_> = module
            .functions
            .iter()
            .map(|f| solve::Automaton {
                registers: f.registers.len(),
                params: f.params.clone(),
                graph: &f.graph,
                procedures: None,
            })
            .collect();
        solve::solve(&module.objects, &graphs)
    }

    /// What an address expression of a template may point to.
    pub fn targets(&self, template: u32, e: &Expr) -> Targets {
        self.resolve(&self.eval(template, e))
    }

    /// The functions an expression of a template may point to; `None` if any.
    pub fn functions(&self, template: u32, e: &Expr) -> Option<BTreeSet<FuncId>> {
        let facts = self.eval(template, e);
        let functions: BTreeSet<FuncId> =
            facts.iter().filter_map(|f| if let Fact::Function(g) = f { Some(*g) } else { None }).collect();
        (!functions.is_empty() || !facts.contains(&Fact::Anything)).then_some(functions)
    }

    /// The objects whose address some cell of an object may hold.
    pub fn held_by(&self, object: ObjId) -> BTreeSet<ObjId> {
        let all = self.cells[object.0 as usize].iter().chain([&self.anywhere]);
        objects(all.flat_map(|f| f.iter()))
    }

    /// May some cell of an object hold an address that is made in a way that is not followed?
    pub fn is_any(&self, object: ObjId) -> bool {
        self.cells[object.0 as usize].iter().chain([&self.anywhere]).any(|f| f.contains(&Fact::Anything))
    }

    /// The objects whose address an expression of a template may hold.
    pub fn held(&self, template: u32, e: &Expr) -> BTreeSet<ObjId> {
        objects(self.eval(template, e).iter())
    }

    /// The objects whose address threads may return.
    pub fn returned(&self) -> BTreeSet<ObjId> {
        objects(self.exits.iter())
    }

    fn resolve(&self, facts: &Facts) -> Targets {
        let mut out = BTreeSet::new();
        for f in facts {
            let Fact::Object(o, k) = *f else { continue };
            let size = self.sizes[o.0 as usize];
            match k {
                Some(k) => {
                    if let Some(k) = usize::try_from(k).ok().filter(|k| *k < size) {
                        out.insert((o, Some(k)));
                    }
                }
                None if size == 1 && !self.open[o.0 as usize] => {
                    out.insert((o, Some(0)));
                }
                None if size > 0 => {
                    out.insert((o, None));
                }
                None => {}
            }
        }
        // One unknown distance covers the known ones.
        let whole: Vec<ObjId> = out.iter().filter(|t| t.1.is_none()).map(|t| t.0).collect();
        out.retain(|(o, k)| k.is_none() || !whole.contains(o));
        if out.is_empty() && facts.contains(&Fact::Anything) {
            Targets::Unknown
        } else {
            Targets::Objects(out)
        }
    }

    /// Facts of an expression.
    pub fn eval(&self, template: u32, e: &Expr) -> Facts {
        match e {
            Expr::Const(_) | Expr::SelfId | Expr::Compare(..) | Expr::Not(_) => Facts::new(),
            Expr::Reg(r) => self.registers[template as usize][r.0 as usize].clone(),
            Expr::Addr(o) => [Fact::Object(*o, Some(0))].into(),
            Expr::Func(f) => [Fact::Function(*f)].into(),
            Expr::Cast(a, _) => self.eval(template, a),
            Expr::Unary(UnOp::Neg | UnOp::BitNot | UnOp::Float(_), a, _) => opaque(self.eval(template, a)),
            Expr::Binary(op, a, b, _) => {
                let (x, y) = (self.eval(template, a), self.eval(template, b));
                if x.is_empty() && y.is_empty() {
                    return Facts::new();
                }
                match op {
                    BinOp::Add => {
                        let mut out = self.shift(&x, constant(b));
                        out.extend(self.shift(&y, constant(a)));
                        out
                    }
                    // The difference of two addresses is a distance, no address.
                    BinOp::Sub if !x.is_empty() => {
                        let by = if y.is_empty() { constant(b).and_then(i64::checked_neg) } else { None };
                        self.shift(&x, by)
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor => {
                        let mut out = self.shift(&x, None);
                        out.extend(self.shift(&y, None));
                        out
                    }
                    BinOp::Sub
                    | BinOp::Mul
                    | BinOp::Div
                    | BinOp::Rem
                    | BinOp::Shl
                    | BinOp::Shr
                    | BinOp::Float(..) => [Fact::Anything].into(),
                }
            }
        }
    }

    /// Moves addresses by a distance, if it is known.
    fn shift(&self, facts: &Facts, by: Option<i64>) -> Facts {
        let mut out = Facts::new();
        for f in facts {
            match *f {
                Fact::Object(o, Some(k)) => match by {
                    // Far out of the object it stays undefined, whatever is added later.
                    Some(d) if self.open[o.0 as usize] => {
                        let size = self.sizes[o.0 as usize] as i64;
                        out.insert(Fact::Object(o, k.checked_add(d).filter(|k| (0..size).contains(k))));
                    }
                    Some(d) => {
                        let size = self.sizes[o.0 as usize] as i64;
                        if let Some(k) = k.checked_add(d).filter(|k| -size <= *k && *k <= 2 * size) {
                            out.insert(Fact::Object(o, Some(k)));
                        }
                    }
                    None => {
                        out.insert(Fact::Object(o, None));
                    }
                },
                other => {
                    out.insert(other);
                }
            }
        }
        out
    }
}

fn objects<'a>(facts: impl Iterator<Item = &'a Fact>) -> BTreeSet<ObjId> {
    facts.filter_map(|f| if let Fact::Object(o, _) = f { Some(*o) } else { None }).collect()
}

fn opaque(facts: Facts) -> Facts {
    if facts.is_empty() { facts } else { [Fact::Anything].into() }
}

fn constant(e: &Expr) -> Option<i64> {
    match e {
        Expr::Const(n) => i64::try_from(*n).ok(),
        Expr::Cast(a, _) => constant(a),
        _ => None,
    }
}

/// Cells of an object that a set of facts may mean.
pub fn cells(objects: &[Object], o: ObjId, k: Option<i64>) -> Option<Option<usize>> {
    let n = objects[o.0 as usize].cells.len();
    match k {
        None => Some(None),
        Some(k) => usize::try_from(k).ok().filter(|k| *k < n).map(Some),
    }
}
