//! First predicates of loops of one thread: affine equalities.
//!
//! That a sum grows as a counter does is no condition of the program, and a path of few rounds is ruled out by the numbers of these: refinement
//! goes on to the next round. Karr's analysis finds all affine equalities at each location. A loop is left to where its counter has just met
//! its bound: conditions of steps that leave a loop count as equalities here, so that what a first loop has summed up is known in a second
//! one. What is found may then be wrong; it is tried, like any predicate.
//!
//! Karr, "Affine relationships among variables of a program", Acta Informatica 6, 1976.
//!
//! Reach: programs of one thread, orders of preference included; at most 40 variables and 2,000 steps. Needed by `orders/tally.c`.

use super::seed::both;
use relyant_linear::{Atom, Cube, Equalities, LinExpr, Norm, Rel, Var};
use relyant_program::reduce::liveness::live_rows;
use relyant_program::{Count, Edge, Program, Template};
use std::collections::{BTreeSet, VecDeque};

/// Variables and steps at most.
const MOST_VARIABLES: usize = 40;
const MOST_EDGES: usize = 2_000;
/// Comparisons with bounds that are tried, at most; with equalities twice as many.
const MOST: usize = 45;
/// Pairs of rows that are compared, at most; one takes about a microsecond.
const MOST_PAIRS: usize = 500_000;

/// The equalities of the loops of a program that has one thread, and how far counters go; none where they take too long to find. With
/// the work that it took.
pub fn equalities(program: &Program, start: &Cube) -> (Vec<Atom>, u64) {
    let mut moving = program.templates.iter().enumerate().filter(|t| !t.1.edges.is_empty());
    let (Some((t, template)), None) = (moving.next(), moving.next()) else { return (Vec::new(), 0) };
    let large = program.variables.len() > MOST_VARIABLES || template.edges.len() > MOST_EDGES;
    if template.count != Count::AtMost(1) || large {
        return (Vec::new(), 0);
    }
    let loops = Loops::of(template);
    let (spaces, pairs) = spaces(program, template, &loops, start);
    let live = live_rows(program, t);
    let mut out: Vec<Atom> = Vec::new();
    let written = written(template);
    let ends =
        start.atoms().iter().filter(|a| opposite(a).is_some_and(|o| is_tested(template, &written, &o)));
    for a in ends.cloned().chain(loops.kept(program, template)) {
        if out.len() < MOST && !out.contains(&a) {
            out.push(a);
        }
    }
    let mut all: Vec<LinExpr> = loops.bounds(template);
    for (l, space) in spaces.iter().enumerate() {
        if loops.of[l].is_some() && !space.is_contradictory() {
            // Of what is not read any more nothing is known later on.
            let space = space.without(|v| !program.is_global(v) && !live[l].has(v.0));
            all.extend(space.rows().iter().cloned());
        }
    }
    for e in all {
        match Atom::eq(&e) {
            Norm::Atom(a) if out.len() < 2 * MOST && !out.contains(&a) => out.push(a),
            _ => {}
        }
    }
    (if pairs > MOST_PAIRS { Vec::new() } else { out }, pairs as u64)
}

/// The variables that steps write.
fn written(template: &Template) -> BTreeSet<Var> {
    template.edges.iter().flat_map(|e| &e.updates).map(|u| u.0).collect()
}

/// The comparison that leaves only equality with this one.
fn opposite(a: &Atom) -> Option<Atom> {
    match Atom::le(&a.expr().negated()) {
        Norm::Atom(o) if a.rel() == Rel::Le => Some(o),
        _ => None,
    }
}

/// Is it a guard, of what nobody writes?
fn is_tested(template: &Template, written: &BTreeSet<Var>, a: &Atom) -> bool {
    !a.vars().any(|v| written.contains(&v)) && template.edges.iter().any(|e| e.guard.atoms().contains(a))
}

/// The loops of a template.
struct Loops {
    /// By location: which loop it is in.
    of: Vec<Option<usize>>,
    /// By loop: comparisons that its rounds begin with.
    rounds: Vec<Vec<Atom>>,
}

impl Loops {
    fn of(template: &Template) -> Loops {
        let loops = template.loops();
        let mut of = vec![None; template.locations.len()];
        for (k, inside) in loops.iter().enumerate() {
            inside.iter().for_each(|l| of[l.0 as usize] = Some(k));
        }
        let mut rounds = vec![Vec::new(); loops.len()];
        for e in &template.edges {
            if let Some(k) = of[e.from.0 as usize]
                && of[e.to.0 as usize] == Some(k)
            {
                rounds[k].extend(e.guard.atoms().iter().cloned());
            }
        }
        Loops { of, rounds }
    }
    /// What is 0 where a step leaves a loop as soon as it can, the bounds that its rounds move towards: at most 0 where they end.
    fn left(&self, e: &Edge) -> Vec<LinExpr> {
        let inside = self.of[e.from.0 as usize].filter(|k| self.of[e.to.0 as usize] != Some(*k));
        let rounds = inside.map_or(&[][..], |k| &self.rounds[k]);
        let ends = |a: &Atom| {
            let other = rounds.iter().find(|r| r.rel() == Rel::Le && r.expr().add(a.expr()).is_constant())?;
            Some(LinExpr::int(1).sub(other.expr()))
        };
        e.guard.atoms().iter().filter(|a| a.rel() == Rel::Le).filter_map(ends).collect()
    }
    /// Whether bounds have been met and are kept, in their loops and where these begin.
    fn kept(&self, program: &Program, template: &Template) -> Vec<Atom> {
        let own = |a: &Atom| a.vars().all(|v| (v.0 as usize) < program.variables.len());
        let mut all = Vec::new();
        for e in &template.edges {
            // What the property asks is mostly kept from one loop to the next, too.
            if template.locations[e.to.0 as usize].error.is_some() {
                all.extend(e.guard.atoms().iter().filter(|a| own(a)).flat_map(both));
            }
            for left in self.left(e) {
                let Norm::Atom(left) = Atom::le(&left) else { continue };
                all.extend(both(&left));
                let Some(kept) = opposite(&left) else { continue };
                let inside = self.of[e.from.0 as usize];
                let enters =
                    |e: &&Edge| self.of[e.to.0 as usize] == inside && self.of[e.from.0 as usize] != inside;
                for enters in template.edges.iter().filter(enters) {
                    all.extend(match kept.subst(|v| enters.after(v).cloned()) {
                        Norm::Atom(a) if own(&a) => Some(a),
                        _ => None,
                    });
                }
                all.push(kept);
            }
        }
        all
    }
    fn bounds(&self, template: &Template) -> Vec<LinExpr> {
        template.edges.iter().flat_map(|e| self.left(e)).collect()
    }
}

/// By location: the equalities that hold there; and how many pairs of rows that took, more than allowed if it was stopped.
fn spaces(program: &Program, template: &Template, loops: &Loops, start: &Cube) -> (Vec<Equalities>, usize) {
    let variables = (0..program.variables.len() as u32).map(Var);
    let mut spaces = vec![Equalities::contradiction(variables); template.locations.len()];
    let equal = |a: &&Atom| a.rel() == Rel::Eq;
    let entry = Equalities::of(start.atoms().iter().filter(equal).map(|a| a.expr().clone()));
    // What is known from the start of what nobody writes leaves a guard only the end of a range.
    let written = written(template);
    let at_end = |a: &&Atom| {
        !a.vars().any(|v| written.contains(&v)) && opposite(a).is_some_and(|o| start.atoms().contains(&o))
    };
    // By location: its steps, each with what is taken to be 0 there.
    let mut outs: Vec<Vec<(&Edge, Vec<LinExpr>)>> = vec![Vec::new(); template.locations.len()];
    for e in &template.edges {
        let mut zero = loops.left(e);
        zero.extend(e.guard.atoms().iter().filter(at_end).map(|a| a.expr().clone()));
        outs[e.from.0 as usize].push((e, zero));
    }
    let at = template.entry.0 as usize;
    spaces[at] = spaces[at].kept(|_| None, &entry).unwrap_or(entry);
    let mut work = VecDeque::from([at]);
    let mut pairs = 0;
    while let Some(at) = work.pop_front().filter(|_| pairs <= MOST_PAIRS) {
        for (e, zero) in &outs[at] {
            let mut before = spaces[at].clone();
            e.guard.atoms().iter().filter(equal).for_each(|a| before.insert(a.expr().clone()));
            if before.is_contradictory() {
                continue;
            }
            for x in zero {
                let mut with = before.clone();
                with.insert(x.clone());
                if !with.is_contradictory() {
                    before = with;
                }
            }
            // It would go past the bound.
            let excess = |a: &Atom| before.reduce(a.expr().clone());
            let never = |x: LinExpr| x.is_constant() && x.constant_part().is_positive();
            if e.guard.atoms().iter().any(|a| a.rel() == Rel::Le && never(excess(a))) {
                continue;
            }
            let to = e.to.0 as usize;
            pairs += 1 + before.rows().len() * spaces[to].rows().len();
            if let Some(kept) = spaces[to].kept(|v| e.after(v).cloned(), &before) {
                spaces[to] = kept;
                if !work.contains(&to) {
                    work.push_back(to);
                }
            }
        }
    }
    (spaces, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;
    use std::fmt::Write;

    fn found(p: &Program) -> Vec<String> {
        let name = |v: Var| p.variables[v.0 as usize].name.clone();
        equalities(p, &p.init).0.iter().map(|a| a.expr().display(name)).collect()
    }

    #[test]
    fn what_a_first_loop_has_summed_up_is_known_in_a_second_one() {
        let p = program(
            "x n=any",
            &[(
                "one",
                "i",
                "s>a: n >= 1 ; i := 0
                 a>a: i < n ; i := i + 1, x := x + 2
                 a>b: i >= n ; i := 0
                 b>b: i < n ; i := i + 1, x := x + 3
                 b>c: i >= n",
            )],
        );
        let all = equalities(&p, &p.init).0;
        let (x, n, i) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)), LinExpr::var(Var(2)));
        let sum = |rounds: i128, each: i128| x.sub(&n.scale(&rounds.into())).sub(&i.scale(&each.into()));
        for e in [sum(0, 2), sum(2, 3), i.sub(&n)] {
            let Norm::Atom(a) = Atom::eq(&e) else { panic!("{e:?}") };
            assert!(all.contains(&a), "{a:?} in {:?}", found(&p));
        }
    }

    #[test]
    fn what_a_loop_leaves_does_not_hang_on_its_counter() {
        let p = program(
            "x y n=any m=any",
            &[(
                "one",
                "i j k",
                "s>a: n >= 0 & m >= 0 ; i := 0
                 a>a: i < n ; i := i + 1, x := x + 1
                 a>b: i >= n ; j := 0
                 b>b: j < m ; j := j + 1, x := x - 1
                 b>c: j >= m ; k := 0
                 c>c: k < m ; k := k + 1, y := y - 1
                 c>d: k >= m",
            )],
        );
        let all = equalities(&p, &p.init).0;
        let [x, n, m] = [0, 2, 3].map(|v| LinExpr::var(Var(v)));
        // What the loops over x have left, and that there is room for the rounds of those over m.
        for a in [Atom::eq(&x.sub(&n).add(&m)), Atom::le(&m.negated())] {
            let Norm::Atom(a) = a else { panic!("{a:?}") };
            assert!(all.contains(&a), "{a:?} in {:?}", found(&p));
        }
    }

    #[test]
    fn nobody_goes_past_a_bound() {
        let p = program(
            "x n=any",
            &[(
                "one",
                "i j",
                "s>a: n >= 0 ; i := 0
                 a>a: i < n ; i := i + 1, x := x + 1
                 a>b: i == n ; j := 0
                 a>b: i >= n + 1 ; j := 0
                 b>b: j < n ; j := j + 1, x := x - 1
                 b>c: j >= n",
            )],
        );
        let (x, n, j) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)), LinExpr::var(Var(3)));
        let Norm::Atom(left) = Atom::eq(&x.sub(&n).add(&j)) else { panic!() };
        assert!(equalities(&p, &p.init).0.contains(&left), "{:?}", found(&p));
    }

    #[test]
    fn what_takes_too_long_is_left() {
        let names: Vec<String> = (0..38).map(|k| format!("v{k}")).collect();
        let mut text = "s>l0: \n".to_owned();
        for k in 0..400 {
            let (v, w) = (&names[k % 38], &names[(k * 7 + 1) % 38]);
            let _ = writeln!(text, "l{k}>l{}: ; {v} := {v} + {}", (k + 1) % 400, k % 5);
            let _ = writeln!(text, "l{k}>l{}: ; {w} := {v} + 1", k / 2);
        }
        text += "l3>end: v0 >= 9";
        let p = program(&names.join(" "), &[("one", "", &text)]);
        let (all, pairs) = equalities(&p, &p.init);
        assert!(
            all.is_empty() && pairs as usize > MOST_PAIRS && pairs as usize <= MOST_PAIRS + 39 * 39,
            "{pairs}"
        );
    }

    #[test]
    fn there_are_none_of_several_threads() {
        let text = "s>a: \na>a: x <= 5 ; x := x + 1\na>b: x >= 6";
        assert!(!found(&program("x", &[("one", "", text)])).is_empty());
        assert!(found(&program("x", &[("one", "", text), ("two", "", text)])).is_empty());
    }
}
