//! Large constants as parameters: a loop to 400 is proved as a loop to any `N >= 1`.
//!
//! Refinement unrolls a loop whose bound is a number: each of its paths ends too early, and a bound on the counter
//! rules it out. Where the bound is a variable of which little is known, paths end after any number of rounds, and
//! what rules out an error is how the program's variables relate. So large constants become globals that nobody
//! writes. Their start values are weakened for proofs: they keep their order and sign. A proof for all values is one
//! for those of the program, which take the parameters' place in its assertions; counterexamples are decided with the
//! true values.
//!
//! A case of generalising a program by leaving constants open. Reach: numbers of 16 and more, at most four of them, and small multiples
//! of these; none that is added to variables somewhere. Needed by `driver/jobs.c` and `slots/crew.c`.

use crate::verdict::Counterexample;
use relyant_check::Proof;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use relyant_program::{Edge, Ghost, Loc, Program, Role, Scope, Variable};
use std::collections::BTreeSet;

/// Constants from here on become parameters; loops to smaller ones can be unrolled.
const LEAST: i128 = 16;
/// Constants beyond this are hardly bounds of loops.
const MOST: i128 = 10_000_000;
/// Constants at most this far apart are one parameter.
const NEAR: i128 = 2;
/// Multiples of a parameter are at most this often it.
const MOST_TIMES: i128 = 16;
/// Parameters of a program; more say that its constants are data.
const MOST_PARAMETERS: usize = 4;

/// A program with parameters.
#[derive(Debug)]
pub struct Parametric {
    /// The program; the parameters come after its variables.
    pub program: Program,
    /// Start condition for proofs.
    pub start: Cube,
    variables: usize,
    parameters: Parameters,
}

/// Intervals of constants, ascending.
#[derive(Debug)]
struct Parameters {
    first: u32,
    /// By parameter: its true value.
    values: Vec<i128>,
    spans: Vec<Span>,
}

/// Constants near each other.
#[derive(Debug)]
struct Span {
    low: i128,
    high: i128,
    /// The least of them, over parameters.
    value: LinExpr,
}

impl Parametric {
    /// Of a program and a start condition for it; `None` if it has no large constants (or too many).
    pub fn of(p: &Program, start: &Cube) -> Option<Parametric> {
        let (mut all, mut rounds) = (BTreeSet::new(), BTreeSet::new());
        let distances = distances(p);
        let is_distance = |c: i128| distances.range(c - NEAR..=c + NEAR).next().is_some();
        for template in &p.templates {
            let inside: BTreeSet<Loc> = template.loops().into_iter().flatten().collect();
            for e in &template.edges {
                let large = constants(e).filter(|c| (LEAST..=MOST).contains(&c.abs()) && !is_limit(c.abs()));
                for c in large.filter(|c| !is_distance(*c)) {
                    all.insert(c);
                    if inside.contains(&e.from) {
                        rounds.insert(c);
                    }
                }
            }
        }
        let parameters = Parameters::of(all, &rounds, p.variables.len() as u32);
        if parameters.spans.is_empty() || parameters.values.len() > MOST_PARAMETERS {
            return None;
        }
        let mut program = p.clone();
        let new = |value: &i128| {
            Variable::ghost(format!("constant({value})"), Scope::Global, (None, None), Ghost::Other)
        };
        program.add_variables(parameters.values.iter().map(new).collect());
        for e in program.templates.iter_mut().flat_map(|t| &mut t.edges) {
            parameters.edge(e);
        }
        for (k, value) in parameters.values.iter().enumerate() {
            program.init.push(Atom::eq(&parameters.variable(k).sub(&LinExpr::int(*value))));
        }
        let all_global = |a: &Atom| a.vars().all(|v| p.is_global(v));
        let mut weak = parameters.cube(start, &all_global);
        for n in parameters.order(&fixed(start)) {
            weak.push(n);
        }
        Some(Parametric { program, start: weak, variables: p.variables.len(), parameters })
    }

    /// The proof about the program as it was.
    pub fn proof(&self, mut proof: Proof) -> Proof {
        let value = |v: Var| {
            let k = Role::of(v).plain().0.checked_sub(self.parameters.first)?;
            self.parameters.values.get(k as usize).map(|c| LinExpr::int(*c))
        };
        for t in &mut proof.threads {
            for s in t.invariants.iter_mut().flat_map(|i| &mut i.1) {
                s.cube = s.cube.subst(value);
            }
            for e in &mut t.environment {
                e.relation = e.relation.subst(value);
                e.writes.retain(|v| (v.0 as usize) < self.variables);
            }
        }
        for g in &mut proof.global {
            g.1 = g.1.subst(value);
        }
        proof
    }

    /// The counterexample of the program as it was.
    pub fn counterexample(&self, mut c: Counterexample) -> Counterexample {
        c.start.retain(|(v, _)| (v.0 as usize) < self.variables);
        c
    }
}

impl Parameters {
    /// Of these constants, those in loops among them, for a program with so many variables. What rounds sum up to is a multiple of their
    /// number, and is asked for after the loop: constants in loops are none of each other.
    fn of(constants: BTreeSet<i128>, rounds: &BTreeSet<i128>, first: u32) -> Parameters {
        let mut out = Parameters { first, values: Vec::new(), spans: Vec::new() };
        for c in constants {
            match out.spans.last_mut() {
                Some(last) if c - last.high <= NEAR && (c < 0) == (last.low < 0) => last.high = c,
                _ => out.spans.push(Span { low: c, high: c, value: LinExpr::zero() }),
            }
        }
        for k in 0..out.spans.len() {
            let Span { low, high, .. } = out.spans[k];
            let apart = rounds.range(low..=high).next().is_some();
            let multiple = if apart { None } else { out.multiple(low, rounds) };
            out.spans[k].value = multiple.unwrap_or_else(|| {
                out.values.push(low);
                out.variable(out.values.len() - 1)
            });
        }
        out
    }
    /// The constant as a multiple of a number of rounds, or near one: of that which it is nearest to.
    fn multiple(&self, c: i128, rounds: &BTreeSet<i128>) -> Option<LinExpr> {
        let near = |(k, value): (usize, &i128)| {
            let times = (c + value / 2) / value;
            let rest = c - times * value;
            let is = (2..=MOST_TIMES).contains(&times) && rest.abs() <= (times + 1).min(value / 8);
            is.then(|| (rest.abs(), self.variable(k).scale(&Rat::from(times)).add(&LinExpr::int(rest))))
        };
        let counted = |v: i128| v > 0 && rounds.range(v..=v + NEAR).next().is_some();
        let all = self.values.iter().enumerate().filter(|(_, v)| counted(**v)).filter_map(near);
        all.min_by_key(|x| x.0).map(|x| x.1)
    }
    fn variable(&self, k: usize) -> LinExpr {
        LinExpr::var(Var(self.first + k as u32))
    }
    /// What is known of the constants: signs, order, also among those that variables have at the start, and that they are no limits of types.
    fn order(&self, fixed: &BTreeSet<i128>) -> Vec<Norm> {
        let mut out = Vec::new();
        for (k, s) in self.spans.iter().enumerate() {
            let high = s.value.add(&LinExpr::int(s.high - s.low));
            let most = LinExpr::int(MOST);
            if s.low > 0 {
                out.push(Atom::lt(&s.value.negated()));
                out.push(Atom::le(&high.sub(&most)));
            } else {
                out.push(Atom::lt(&high));
                out.push(Atom::le(&s.value.negated().sub(&most)));
            }
            if let Some(next) = self.spans.get(k + 1).filter(|n| n.low.signum() == s.low.signum()) {
                debug_assert!(next.low > s.high);
                out.push(Atom::lt(&high.sub(&next.value)));
            }
            if let Some(below) = fixed.range(..s.low).next_back() {
                out.push(Atom::lt(&LinExpr::int(*below).sub(&s.value)));
            }
            if let Some(above) = fixed.range(s.high + 1..).next() {
                out.push(Atom::lt(&high.sub(&LinExpr::int(*above))));
            }
        }
        out
    }
    /// The constant over parameters, if it is one of those, or next to them.
    fn value(&self, c: i128) -> Option<LinExpr> {
        let s = self.spans.iter().find(|s| (s.low - 1..=s.high + 1).contains(&c))?;
        Some(s.value.add(&LinExpr::int(c - s.low)))
    }
    fn edge(&self, e: &mut Edge) {
        e.guard = self.cube(&e.guard, &|_| true);
        e.bounds = self.cube(&e.bounds, &|_| true);
        for u in &mut e.updates {
            if let Some(value) = constant(&u.1).and_then(|c| self.value(c)) {
                u.1 = value;
            }
        }
    }
    /// The condition with parameters in those of its bounds on one variable that qualify.
    fn cube(&self, c: &Cube, which: &dyn Fn(&Atom) -> bool) -> Cube {
        if c.is_bottom() {
            return Cube::bottom();
        }
        Cube::of(c.atoms().iter().map(|a| {
            let value = compared(a).filter(|_| which(a)).and_then(|(v, sign, c)| {
                let d = LinExpr::var(v).sub(&self.value(c)?);
                Some(d.scale(&Rat::from(sign)))
            });
            match (value, a.rel()) {
                (Some(e), Rel::Le) => Atom::le(&e),
                (Some(e), Rel::Eq) => Atom::eq(&e),
                (None, _) => Norm::Atom(a.clone()),
            }
        }))
    }
}

/// `sign * (v - c)`, compared with 0.
fn compared(a: &Atom) -> Option<(Var, i128, i128)> {
    let [(v, k)] = a.expr().terms() else { return None };
    let c = a.expr().constant_part().to_i128()?;
    if k.is_one() {
        Some((*v, 1, c.checked_neg()?))
    } else if (-k).is_one() {
        Some((*v, -1, c))
    } else {
        None
    }
}

fn constant(e: &LinExpr) -> Option<i128> {
    e.constant_part().to_i128().filter(|_| e.is_constant())
}

/// Values that variables have at the start.
fn fixed(start: &Cube) -> BTreeSet<i128> {
    let equal = start.atoms().iter().filter(|a| a.rel() == Rel::Eq);
    equal.filter_map(compared).map(|c| c.2).collect()
}

/// Constants that an edge compares with or assigns.
fn constants(e: &Edge) -> impl Iterator<Item = i128> {
    let tested = e.guard.atoms().iter().filter_map(compared).map(|c| c.2);
    tested.chain(e.updates.iter().filter_map(|u| constant(&u.1)))
}

/// Large constants that are added to variables, as addresses are to indices: what is compared with them is no number of rounds.
fn distances(p: &Program) -> BTreeSet<i128> {
    let edges = p.templates.iter().flat_map(|t| &t.edges);
    let sums = edges.flat_map(|e| &e.updates).filter(|u| !u.1.is_constant());
    sums.filter_map(|u| u.1.constant_part().to_i128()).filter(|c| c.abs() >= LEAST).collect()
}

/// Next to the limit of a type?
fn is_limit(c: i128) -> bool {
    [15, 16].iter().any(|k| (c - (1 << k)).abs() <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aret::Settings;
    use crate::rely_guarantee::verify;
    use crate::testing::program;
    use crate::verdict::Answer;
    use crate::watch::Watch;
    use relyant_check::check::{Limits, check};
    use relyant_linear::Satisfiable;

    fn stack(n: i128, most: i128) -> Program {
        let push = format!(
            "s>a: ; i := 0
             a>b: lock == 0 ; lock := 1
             b>!err: top == {most}
             b>c: top <= {most} - 1 ; top := top + 1
             b>c: top >= {most} + 1 ; top := top + 1
             c>a: i <= {n} - 2 ; i := i + 1, lock := 0"
        );
        let pop = "a>b: lock == 0 ; lock := 2
             b>c: top >= 1 ; top := top - 1
             b>c: top <= 0
             c>a: ; lock := 0";
        program("lock top", &[("push", "i", &push), ("pop", "", pop)])
    }

    fn run(p: &Program) -> (Answer, u32) {
        let watch = Watch::NONE;
        let (answer, stats) = verify(p, &Settings::default(), &watch);
        (answer, stats.iterations)
    }

    #[test]
    fn a_long_loop_is_not_unrolled() {
        let p = stack(5000, 5000);
        let (answer, iterations) = run(&p);
        let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
        check(&p, &proof, &Limits::default()).expect("checked");
        assert!(iterations < 30, "{iterations}");
    }

    #[test]
    fn an_error_after_many_rounds_is_found() {
        let p = program("", &[("one", "i", "s>a: ; i := 0\na>a: i <= 29 ; i := i + 1\na>!err: i == 20")]);
        let (answer, _) = run(&p);
        assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    }

    #[test]
    fn multiples_are_what_several_loops_sum_up() {
        let two = |sum: i128| {
            let text = format!(
                "s>a: ; i := 0
                 a>a: i <= 4999 ; i := i + 1, x := x + 1
                 a>b: i >= 5000 ; i := 0
                 b>b: i <= 4999 ; i := i + 1, x := x + 1
                 b>c: i >= 5000
                 c>!err: x <= {}
                 c>!err: x >= {}",
                sum - 1,
                sum + 1
            );
            program("x", &[("one", "i", &text)])
        };
        let p = two(10_000);
        let (answer, iterations) = run(&p);
        let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
        check(&p, &proof, &Limits::default()).expect("checked");
        assert!(iterations < 10, "{iterations}");
    }

    #[test]
    fn constants_in_loops_are_no_multiples() {
        let values = |end: &str| {
            let text = format!("a>b: x <= 49\nb>b: i <= 299 ; i := i + 1\nb>c: i >= 300\n{end}");
            let p = program("x", &[("one", "i", &text)]);
            Parametric::of(&p, &p.init).expect("parameters").parameters.values
        };
        assert_eq!(values("c>d: x <= 599"), [49, 299]);
        assert_eq!(values("c>c: x <= 599"), [49, 299, 599]);
    }

    #[test]
    fn what_is_added_is_no_bound() {
        let values = |sum: &str| {
            let text =
                format!("a>a: i <= 49 ; i := i + 1, x := {sum}\na>b: x == 1000 && i >= 50\na>b: i >= 50");
            let p = program("x", &[("one", "i", &text)]);
            Parametric::of(&p, &p.init).expect("parameters").parameters.values
        };
        assert_eq!(values("i"), [49, 1000]);
        assert_eq!(values("i + 999"), [49]);
    }

    #[test]
    fn constants_of_the_start_keep_their_places() {
        // As if 2,500 rounds were done: there is no run with a bound below that.
        let p = program(
            "x=2500",
            &[("one", "", "s>a: \na>a: x <= 9999 ; x := x + 1\na>b: x >= 10000\nb>!err: x <= 9999")],
        );
        let parametric = Parametric::of(&p, &p.init).expect("a parameter");
        let at_most =
            |n: i128| Cube::of([Atom::le(&parametric.parameters.variable(0).sub(&LinExpr::int(n)))]);
        assert!(matches!(parametric.start.and(&at_most(2500)).sat_int(), Satisfiable::Unsat));
        assert!(matches!(parametric.start.and(&at_most(2510)).sat_int(), Satisfiable::Sat(_)));
        let (answer, _) = run(&p);
        assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    }

    #[test]
    fn a_proof_that_needs_the_numbers_is_found() {
        // 20 is even: the counter never is 21 when the loop has gone by twos. No parameter can say so.
        let p = program(
            "x",
            &[(
                "one",
                "i",
                "s>a: ; i := 0\na>a: i <= 19 ; i := i + 2, x := x + 2\na>b: i >= 20\nb>!err: x == 21\nb>!err: x <= 19",
            )],
        );
        let (answer, _) = run(&p);
        let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
        check(&p, &proof, &Limits::default()).expect("checked");
    }
}
