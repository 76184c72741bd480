//! Locals whose lives do not overlap as one variable: a long thread reads each global into a temporary of its own, and has a
//! predicate for each of them where one would do.
//!
//! The proof is about the program as it was: at each location a shared variable stands for the one that lives there.

use crate::verdict::Answer;
use relyant_cfa::sparse::Row;
use relyant_check::Proof;
use relyant_linear::{Atom, Cube, LinExpr, Var};
use relyant_program::reduce::liveness::live_rows;
use relyant_program::{Program, Role, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// Where fewer variables are saved, the program stays as it is: what is said of one life of a variable tells states apart in another (a driver with
/// some dozens of them has three times the states), and a proof that has no way back costs a second one.
const LEAST: usize = 128;

/// A program some of whose locals are one.
#[derive(Debug)]
pub struct Shared {
    /// The program; variables keep their numbers, and those that others stand for occur nowhere.
    pub program: Program,
    /// By variable: which one stands for it.
    stands: Vec<Var>,
    /// Variables that stand for several.
    several: BTreeSet<Var>,
    /// By template and location: what a variable that stands for several is there.
    here: Vec<Vec<BTreeMap<Var, Var>>>,
}

impl Shared {
    /// Of a program; `None` where there is little to share.
    pub fn of(p: &Program) -> Option<Shared> {
        let mut stands: Vec<Var> = (0..p.variables.len() as u32).map(Var).collect();
        let live: Vec<Vec<Row>> = (0..p.templates.len()).map(|t| live_rows(p, t)).collect();
        for (t, live) in live.iter().enumerate() {
            share(p, t, live, &mut stands);
        }
        let changed = |(k, v): &(usize, &Var)| v.0 as usize != *k;
        if stands.iter().enumerate().filter(changed).count() < LEAST {
            return None;
        }
        let several: BTreeSet<Var> = stands.iter().enumerate().filter(changed).map(|x| *x.1).collect();
        let mut program = p.clone();
        let new = |v: Var| stands.get(v.0 as usize).copied().unwrap_or(v);
        for e in program.templates.iter_mut().flat_map(|t| &mut t.edges) {
            e.rename(new);
        }
        let at = |row: &Row| {
            row.iter().map(|v| (new(Var(v)), Var(v))).filter(|x| several.contains(&x.0)).collect()
        };
        let here = live.iter().map(|rows| rows.iter().map(at).collect()).collect();
        Some(Shared { program, stands, several, here })
    }

    /// Comparisons of the program as it was.
    pub fn predicates(&self, atoms: &[Atom]) -> Vec<Atom> {
        let new = |v: Var| self.stands.get(v.0 as usize).copied().unwrap_or(v);
        atoms.iter().map(|a| a.rename(new)).collect()
    }

    /// The answer about the program as it was; `None` where a proof speaks of a thread's shared variable and not of where it is.
    pub fn answer(&self, answer: Answer) -> Option<Answer> {
        Some(match answer {
            Answer::Safe(proof) => Answer::Safe(self.proof(proof)?),
            other => other,
        })
    }

    fn proof(&self, mut proof: Proof) -> Option<Proof> {
        let nowhere = BTreeMap::new();
        let alone = |v: &Var| !self.several.contains(v);
        if !proof.tickets.iter().flat_map(|t| &t.holders).all(|h| alone(&h.variable)) {
            return None;
        }
        for t in &mut proof.threads {
            for (loc, states) in &mut t.invariants {
                let here = self.here.get(t.template as usize)?.get(loc.0 as usize).unwrap_or(&nowhere);
                for s in states {
                    s.cube = self.renamed(&s.cube, here)?;
                }
            }
            for e in &t.environment {
                self.renamed(&e.relation, &nowhere)?;
            }
        }
        Some(proof)
    }

    /// What a condition says where shared variables are these; `None` where it speaks of another one.
    fn renamed(&self, cube: &Cube, here: &BTreeMap<Var, Var>) -> Option<Cube> {
        let told = |v: Var| !self.several.contains(&Role::of(v).plain()) || here.contains_key(&v);
        let all = cube.atoms().iter().flat_map(Atom::vars).all(told);
        all.then(|| cube.subst(|v| here.get(&v).copied().map(LinExpr::var)))
    }
}

/// Has variables of a template stand for others of the same bounds that never live when they do.
fn share(p: &Program, t: usize, live: &[Row], stands: &mut [Var]) {
    let template = &p.templates[t];
    let mut apart: BTreeMap<u32, Row> = BTreeMap::new();
    for e in &template.edges {
        let after = &live[e.to.0 as usize];
        for (v, _) in &e.updates {
            let others = apart.entry(v.0).or_default();
            others.extend(after);
            e.updates.iter().for_each(|u| others.insert(u.0.0));
        }
    }
    let start: BTreeSet<Var> =
        p.init.vars().into_iter().chain(p.given.iter().flat_map(|g| g.1.vars())).collect();
    let entry = &live[template.entry.0 as usize];
    // What stands for others: itself, all that it stands for, and all that it must not be one with.
    let mut all: Vec<(Var, Row, Row)> = Vec::new();
    for (v, others) in &apart {
        let Some(x) = p.variables.get(*v as usize) else { continue };
        if x.scope != Scope::Local(t as u32) || x.identity || entry.has(*v) || start.contains(&Var(*v)) {
            continue;
        }
        let same = |r: &Var| {
            let r = &p.variables[r.0 as usize];
            (r.min, r.max) == (x.min, x.max)
        };
        let free = all
            .iter_mut()
            .find(|(r, members, row)| same(r) && !row.has(*v) && !others.iter().any(|o| members.has(o)));
        match free {
            Some((r, members, row)) => {
                stands[*v as usize] = *r;
                members.insert(*v);
                row.extend(others);
            }
            None => {
                let mut alone = Row::default();
                alone.insert(*v);
                all.push((Var(*v), alone, others.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aret::Settings;
    use crate::rely_guarantee::verify;
    use crate::testing::program;
    use crate::watch::Watch;
    use relyant_check::check::{Limits, check};

    /// So many sections under a lock, each of which reads `x` into a local of its own; the last one expects it to be `last`.
    fn sections(n: usize, last: i128) -> Program {
        let mut text = String::new();
        for k in 0..n {
            let expected = if k + 1 == n { last } else { 0 };
            text += &format!(
                "s{k}>a{k}: lock == 0 ; lock := 1
                 a{k}>b{k}: ; t{k} := x
                 b{k}>c{k}: ; u{k} := t{k} + 1
                 c{k}>!err: u{k} <= {expected}
                 c{k}>!err: u{k} >= {expected} + 2
                 c{k}>s{}: u{k} == {expected} + 1 ; lock := 0\n",
                k + 1
            );
        }
        let locals: String = (0..n).map(|k| format!("t{k} u{k} ")).collect();
        let other = "a>b: lock == 0 ; lock := 2\nb>c: ; x := x + 1\nc>d: ; x := x - 1\nd>a: ; lock := 0";
        program("lock x", &[("one", &locals, &text), ("two", "", other)])
    }

    #[test]
    fn locals_are_one_where_their_lives_are_apart() {
        let p = sections(LEAST, 0);
        let shared = Shared::of(&p).expect("locals that can be one");
        let used: BTreeSet<Var> =
            shared.program.templates[0].edges.iter().flat_map(|e| e.updates.iter().map(|u| u.0)).collect();
        assert_eq!(used.len(), 2, "the lock and one local: {used:?}");
        let (answer, _) = verify(&p, &Settings::default(), &Watch::NONE);
        let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
        check(&p, &proof, &Limits::default()).expect("checked");
        assert!(Shared::of(&sections(4, 0)).is_none());
    }

    #[test]
    fn errors_stay_errors() {
        let (answer, _) = verify(&sections(LEAST, 1), &Settings::default(), &Watch::NONE);
        assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    }

    #[test]
    fn what_lives_at_the_same_time_stays_apart() {
        // t lives over the whole of it.
        let mut text = "s>s0: ; t := x\n".to_string();
        (0..=LEAST).for_each(|k| text += &format!("s{k}>r{k}: ; u{k} := x\nr{k}>s{}: u{k} == t\n", k + 1));
        text += &format!("s{}>!err: t >= x + 1", LEAST + 1);
        let locals: String = (0..=LEAST).map(|k| format!("u{k} ")).collect();
        let p = program("x", &[("one", &format!("t {locals}"), &text)]);
        let shared = Shared::of(&p).expect("locals that can be one");
        let t = p.variables.iter().position(|v| v.name == "one::t").expect("t");
        assert!(!shared.several.contains(&Var(t as u32)));
        assert_eq!(shared.several.len(), 1);
    }

    #[test]
    fn a_proof_about_another_threads_shared_local_is_none() {
        let p = sections(LEAST, 0);
        let shared = Shared::of(&p).expect("locals that can be one");
        let several = *shared.several.first().expect("one");
        let about = Cube::of([Atom::eq(&LinExpr::var(several))]);
        assert_eq!(shared.renamed(&about, &BTreeMap::new()), None);
        let here = BTreeMap::from([(several, Var(7))]);
        assert_eq!(shared.renamed(&about, &here), Some(Cube::of([Atom::eq(&LinExpr::var(Var(7)))])));
    }
}
