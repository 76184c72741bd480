//! Large constants as parameters: a loop to 400 is proved as a loop to any `N >= 1`.
//!
//! Refinement unrolls a loop whose bound is a number: each of its paths ends too early, and a bound on the counter
//! rules it out. Where the bound is a variable of which little is known, paths end after any number of rounds, and
//! what rules out an error is how the program's variables relate. So large constants become globals that nobody
//! writes. Their start values are weakened for proofs: they keep their order and sign. A proof for all values is one
//! for those of the program, which take the parameters' place in its assertions; counterexamples are decided with the
//! true values. (Compare [`super::shift`], which does the same for start values.)

use crate::verdict::Counterexample;
use relyant_check::Proof;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use relyant_program::{Edge, Ghost, Program, Role, Scope, Variable};
use std::collections::BTreeSet;

/// Constants from here on become parameters; loops to smaller ones can be unrolled.
const LEAST: i128 = 16;
/// Constants beyond this are hardly bounds of loops.
const MOST: i128 = 10_000_000;
/// Constants at most this far apart are one parameter.
const NEAR: i128 = 2;
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

/// Intervals of constants, ascending; each is a parameter with its lowest as true value.
#[derive(Debug)]
struct Parameters {
    first: u32,
    /// By parameter: the least and the greatest constant of its interval.
    spans: Vec<(i128, i128)>,
}

impl Parametric {
    /// Of a program and a start condition for it; `None` if it has no large constants (or too many).
    pub fn of(p: &Program, start: &Cube) -> Option<Parametric> {
        let constants: BTreeSet<i128> = p
            .templates
            .iter()
            .flat_map(|t| &t.edges)
            .flat_map(constants)
            .filter(|c| (LEAST..=MOST).contains(&c.abs()) && !is_limit(c.abs()))
            .collect();
        let mut spans: Vec<(i128, i128)> = Vec::new();
        for c in constants {
            match spans.last_mut() {
                Some(last) if c - last.1 <= NEAR && (c < 0) == (last.0 < 0) => last.1 = c,
                _ => spans.push((c, c)),
            }
        }
        if spans.is_empty() || spans.len() > MOST_PARAMETERS {
            return None;
        }
        let parameters = Parameters { first: p.variables.len() as u32, spans };
        let mut program = p.clone();
        let new = |(lo, _): &(i128, i128)| {
            Variable::ghost(format!("constant({lo})"), Scope::Global, (None, None), Ghost::Other)
        };
        program.add_variables(parameters.spans.iter().map(new).collect());
        for e in program.templates.iter_mut().flat_map(|t| &mut t.edges) {
            parameters.edge(e);
        }
        for (k, (lo, _)) in parameters.spans.iter().enumerate() {
            program.init.push(Atom::eq(&parameters.variable(k).sub(&LinExpr::int(*lo))));
        }
        let all_global = |a: &Atom| a.vars().all(|v| p.is_global(v));
        let mut weak = parameters.cube(start, &all_global);
        for n in parameters.order() {
            weak.push(n);
        }
        Some(Parametric { program, start: weak, variables: p.variables.len(), parameters })
    }

    /// The proof about the program as it was.
    pub fn proof(&self, mut proof: Proof) -> Proof {
        let value = |v: Var| {
            let k = Role::of(v).plain().0.checked_sub(self.parameters.first)?;
            self.parameters.spans.get(k as usize).map(|s| LinExpr::int(s.0))
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
    fn variable(&self, k: usize) -> LinExpr {
        LinExpr::var(Var(self.first + k as u32))
    }
    /// What is known of the parameters: signs, order, and that they are no limits of types.
    fn order(&self) -> Vec<Norm> {
        let mut out = Vec::new();
        for (k, (lo, hi)) in self.spans.iter().enumerate() {
            let (low, high) = (self.variable(k), self.variable(k).add(&LinExpr::int(hi - lo)));
            let most = LinExpr::int(MOST);
            if *lo > 0 {
                out.push(Atom::lt(&low.negated()));
                out.push(Atom::le(&high.sub(&most)));
            } else {
                out.push(Atom::lt(&high));
                out.push(Atom::le(&low.negated().sub(&most)));
            }
            if let Some(next) = self.spans.get(k + 1).filter(|n| n.0.signum() == lo.signum()) {
                debug_assert!(next.0 > *hi);
                out.push(Atom::lt(&high.sub(&self.variable(k + 1))));
            }
        }
        out
    }
    /// The parameter and distance that a constant is.
    fn value(&self, c: i128) -> Option<LinExpr> {
        let k = self.spans.iter().position(|(lo, hi)| (lo - 1..=hi + 1).contains(&c))?;
        Some(self.variable(k).add(&LinExpr::int(c - self.spans[k].0)))
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

/// Constants that an edge compares with or assigns.
fn constants(e: &Edge) -> Vec<i128> {
    let tested = e.guard.atoms().iter().filter_map(compared).map(|c| c.2);
    tested.chain(e.updates.iter().filter_map(|u| constant(&u.1))).collect()
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
