//! Orders of preference proved: that a program of one thread makes enough of the runs of several.
//!
//! The product is made again, from the same threads and with the swaps that are claimed; that these suffice is argued where it is made
//! ([`relyant_program::ordered`]). Each swap is an obligation for Z3: two steps that can be done in a row, where its
//! condition holds, can be done in the other order, with the same inputs, and lead to the same state. Of a program with
//! sections under a lock as one step there is nothing more to ask: it is made again, as passes are trusted.

use crate::decide::{CheckError, Conditions, Limits, decide};
use crate::flaw::ProgramFlaw;
use crate::formula::{Formula, Linear, Symbol, before, cube};
use crate::obligations::{Malformed, locate, symbol_name};
use relyant_linear::{LinExpr, Var};
use relyant_program::ghosts::extension::extend;
use relyant_program::ordered::{Letter, Order, Ordered, Swap, preferred, source};
use relyant_program::{Edge, Program, Touch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Decides what is claimed of the order of a program: how many obligations there are, if all hold; none where it has no order.
///
/// # Errors
/// The program is not the one that its order makes, or one of the obligations does not hold, or is not decided.
pub fn check(program: &Program, start: Instant, limits: &Limits) -> Result<usize, CheckError> {
    let Some(claimed) = &program.ordered else { return Ok(0) };
    let flaw = || CheckError::Malformed(Malformed::Program(ProgramFlaw::Order));
    let again = remade(&claimed.of, &claimed.order, &claimed.swaps).ok_or_else(flaw)?;
    let Some(same) = extended(again, program) else { return Err(flaw()) };
    if same != *program {
        return Err(flaw());
    }
    let swaps = Swaps::new(program);
    decide(&swaps, swaps.list(), start, limits)?;
    Ok(swaps.list().len())
}

/// The program with the ghosts that were added to the other one, if they were added to it.
fn extended(made: Program, to: &Program) -> Option<Program> {
    let mut out = Program { lines: Vec::new(), ..made };
    for stage in &to.extensions {
        if stage.before != (Program { extensions: Vec::new(), ..out.clone() }) {
            return None;
        }
        extend(&mut out, stage.extension.clone());
    }
    Some(Program { lines: to.lines.clone(), ..out })
}

/// The program that an order makes of its [`source`], with these swaps and no others.
pub fn remade(of: &Program, order: &Order, swaps: &[Swap]) -> Option<Program> {
    let known: BTreeMap<(Letter, Letter), &Swap> = swaps.iter().map(|s| ((s.first, s.second), s)).collect();
    let swap = |_: &Program, first, second| known.get(&(first, second)).map(|s| s.when.clone());
    preferred(of, order, &mut { swap }, &|| false)
}

/// Is a program made of this one, but for the text of its lines?
pub fn is_made_of(claimed: &Ordered, of: &Program) -> bool {
    source(of, &claimed.order).is_some_and(|p| p == claimed.of)
}

/// The swaps of a program that has an order, as obligations. What holds by its form alone is left out: steps neither of which writes what the
/// other one mentions, nor elements of arrays that it accesses.
pub struct Swaps<'a> {
    /// What the program is made of; the program itself where it has no order.
    of: &'a Program,
    list: Vec<Swap>,
}

impl<'a> Swaps<'a> {
    /// Those of a program; none where it has no order.
    pub fn new(program: &'a Program) -> Swaps<'a> {
        let Some(o) = program.ordered.as_deref() else { return Swaps { of: program, list: Vec::new() } };
        let mut all = Swaps { of: &o.of, list: Vec::new() };
        let holds = |s: &&Swap| match (all.edge(s.first), all.edge(s.second)) {
            (Some(a), Some(b)) => apart(a, b) && apart(b, a),
            _ => false,
        };
        all.list = o.swaps.iter().filter(|s| !holds(s)).cloned().collect();
        all
    }

    /// Those that are to be shown, in order.
    pub fn list(&self) -> &[Swap] {
        &self.list
    }

    fn edge(&self, (t, e): Letter) -> Option<&Edge> {
        self.of.templates.get(t as usize)?.edges.get(e as usize)
    }

    /// What must be unsatisfiable.
    fn fails(&self, swap: &Swap) -> Option<Formula> {
        let (a, b) = (self.edge(swap.first)?, self.edge(swap.second)?);
        let base = self.of.variables.len() as u32;
        // A condition is one on a state.
        if swap.when.vars().iter().any(|v| v.0 >= base) {
            return None;
        }
        let input = |v: Var, shift: usize| Symbol::Input(v.0 - base + shift as u32);
        let with_a = |v: Var| if v.0 < base { before(v) } else { Linear::symbol(input(v, 0)) };
        let with_b = |v: Var| if v.0 < base { before(v) } else { Linear::symbol(input(v, a.inputs.len())) };
        let after_a = values(a, &with_a)?;
        let after_b = values(b, &with_b)?;
        // The other step's values, over the state after the first.
        let b_then = |v: Var| {
            if v.0 < base { after_a.get(&v).cloned().unwrap_or_else(|| before(v)) } else { with_b(v) }
        };
        let a_then = |v: Var| {
            if v.0 < base { after_b.get(&v).cloned().unwrap_or_else(|| before(v)) } else { with_a(v) }
        };
        let (both, swapped) = (values(b, &b_then)?, values(a, &a_then)?);
        let written: BTreeSet<Var> = a.updates.iter().chain(&b.updates).map(|u| u.0).collect();
        let same = written.into_iter().map(|v| {
            let one = both.get(&v).cloned().unwrap_or_else(|| b_then(v));
            let other = swapped.get(&v).cloned().unwrap_or_else(|| a_then(v));
            Formula::eq(one.minus(&other))
        });
        // The same elements with the same values; and no two accesses to one, of which one is a write.
        let mut touched = Vec::new();
        let mut moved = |x: &LinExpr, now: &dyn Fn(Var) -> Linear, then: &dyn Fn(Var) -> Linear| {
            touched.push(Formula::eq(Linear::value(x, now)?.minus(&Linear::value(x, then)?)));
            Some(())
        };
        for t in &a.touches {
            moved(&t.at, &with_a, &a_then)?;
            moved(&t.value, &with_a, &a_then)?;
        }
        for t in &b.touches {
            moved(&t.at, &with_b, &b_then)?;
            moved(&t.value, &with_b, &b_then)?;
        }
        for x in &a.touches {
            for y in b.touches.iter().filter(|y| x.array == y.array && (x.write || y.write)) {
                let (one, other) = (Linear::value(&x.at, &with_a)?, Linear::value(&y.at, &b_then)?);
                touched.push(Formula::eq(one.minus(&other)).not());
            }
        }
        let goal = Formula::and([
            Formula::and(touched),
            cube(&b.guard, &with_b),
            cube(&b.bounds, &with_b),
            cube(&a.guard, &a_then),
            cube(&a.bounds, &a_then),
            Formula::and(same),
        ]);
        let core = Formula::and([
            cube(&swap.when, &before),
            self.constants(),
            cube(&a.guard, &with_a),
            cube(&a.bounds, &with_a),
            cube(&b.guard, &b_then),
            cube(&b.bounds, &b_then),
            goal.not(),
        ]);
        Some(self.typed(core))
    }

    /// What the start says of variables that no step writes.
    fn constants(&self) -> Formula {
        let edges = self.of.templates.iter().flat_map(|t| &t.edges);
        let written: BTreeSet<Var> = edges.flat_map(|e| e.updates.iter().map(|u| u.0)).collect();
        let init = &self.of.init;
        if init.is_bottom() {
            return Formula::Const(false);
        }
        let constant = init.atoms().iter().filter(|a| a.vars().all(|v| !written.contains(&v)));
        Formula::and(constant.map(|a| Formula::atom(a, &before)))
    }

    /// With the bounds of the variables in it.
    fn typed(&self, core: Formula) -> Formula {
        let mut symbols = BTreeSet::new();
        core.symbols(&mut symbols);
        let mut facts = vec![core];
        for s in symbols {
            let Symbol::Var(v) = s else { continue };
            let Some(v) = self.of.variables.get(v.0 as usize) else { continue };
            let x = Linear::symbol(s);
            facts.extend(v.min.map(|n| Formula::le(Linear::number(n).minus(&x))));
            facts.extend(v.max.map(|n| Formula::le(x.minus(&Linear::number(n)))));
        }
        Formula::and(facts)
    }
}

/// Does the first step write nothing that the second one mentions?
fn apart(a: &Edge, b: &Edge) -> bool {
    let mentioned = b.reads();
    let variables =
        a.updates.iter().all(|u| !mentioned.contains(&u.0) && b.updates.iter().all(|w| w.0 != u.0));
    let element = |x: &Touch| x.write && b.touches.iter().any(|y| y.array == x.array);
    variables && !a.touches.iter().any(element)
}

/// What a step writes; `None` where that is no integer.
fn values(e: &Edge, var: &dyn Fn(Var) -> Linear) -> Option<BTreeMap<Var, Linear>> {
    e.updates.iter().map(|(v, x)| Some((*v, Linear::value(x, var)?))).collect()
}

impl Conditions for Swaps<'_> {
    type Item = Swap;
    fn formula(&self, swap: &Swap) -> Formula {
        // What cannot be said is not shown.
        self.fails(swap).unwrap_or(Formula::Const(true))
    }
    fn title(&self, swap: &Swap) -> String {
        let place = |l: Letter| self.edge(l).map_or_else(String::new, |e| locate(self.of, l.0, e.from));
        format!("swap of the steps at {} and {}", place(swap.first), place(swap.second))
    }
    fn symbol(&self, s: Symbol) -> String {
        symbol_name(self.of, s)
    }
}
