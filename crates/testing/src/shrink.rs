//! Makes a failing thread program smaller while it fails.

use super::threads::{Cond, Ex, Stmt, ThreadProgram};

/// The smallest program found that still fails, by trying one simplification after another.
pub fn shrink(program: &ThreadProgram, fails: &mut dyn FnMut(&ThreadProgram) -> bool) -> ThreadProgram {
    let mut best = program.clone();
    'again: loop {
        for smaller in simpler(&best) {
            if fails(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

/// Programs with one thing less, large steps first.
pub fn simpler(p: &ThreadProgram) -> Vec<ThreadProgram> {
    let mut out = Vec::new();
    let mut push = |f: &dyn Fn(&mut ThreadProgram)| {
        let mut q = p.clone();
        f(&mut q);
        if q != *p {
            out.push(q);
        }
    };
    for i in 0..p.threads.len() {
        push(&|q| {
            q.threads.remove(i);
        });
        push(&|q| q.threads[i].1 = 1);
        for body in simpler_blocks(&p.threads[i].0) {
            push(&|q| q.threads[i].0 = body.clone());
        }
    }
    push(&|q| q.main.clear());
    for body in simpler_blocks(&p.main) {
        push(&|q| q.main = body.clone());
    }
    push(&|q| q.after = None);
    for c in p.after.iter().flat_map(simpler_conds) {
        push(&|q| q.after = Some(c.clone()));
    }
    for i in 0..p.globals.len() {
        push(&|q| q.globals[i].0 = "int");
        push(&|q| q.globals[i].1 = 0);
    }
    out
}

fn simpler_blocks(list: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    for i in 0..list.len() {
        let with = |new: Vec<Stmt>| {
            let mut copy = list.to_vec();
            copy.splice(i..=i, new);
            copy
        };
        out.push(with(Vec::new()));
        out.extend(simpler_stmts(&list[i]).into_iter().map(with));
    }
    out
}

/// Each is a list to put in the statement's place.
fn simpler_stmts(s: &Stmt) -> Vec<Vec<Stmt>> {
    let one = |s: Stmt| vec![s];
    let mut out = Vec::new();
    match s {
        Stmt::Set(p, e) => out.extend(simpler_exprs(e).into_iter().map(|e| one(Stmt::Set(*p, e)))),
        Stmt::Update(p, op, e) => {
            out.extend(simpler_exprs(e).into_iter().map(|e| one(Stmt::Update(*p, op, e))));
        }
        Stmt::If(c, a, b) => {
            out.push(a.clone());
            out.push(b.clone());
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::If(c.clone(), a, b.clone()))));
            out.extend(simpler_blocks(b).into_iter().map(|b| one(Stmt::If(c.clone(), a.clone(), b))));
            out.extend(simpler_conds(c).into_iter().map(|c| one(Stmt::If(c, a.clone(), b.clone()))));
        }
        Stmt::While(c, a) => {
            out.push(a.clone());
            out.push(one(Stmt::If(c.clone(), a.clone(), Vec::new())));
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::While(c.clone(), a))));
            out.extend(simpler_conds(c).into_iter().map(|c| one(Stmt::While(c, a.clone()))));
        }
        Stmt::DoWhile(a, c) => {
            out.push(a.clone());
            out.push(one(Stmt::While(c.clone(), a.clone())));
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::DoWhile(a, c.clone()))));
            out.extend(simpler_conds(c).into_iter().map(|c| one(Stmt::DoWhile(a.clone(), c))));
        }
        Stmt::Atomic(a) => {
            out.push(a.clone());
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::Atomic(a))));
        }
        Stmt::Locked(m, a) => {
            out.push(a.clone());
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::Locked(*m, a))));
        }
        Stmt::Try(m, a, b) => {
            out.extend([a.clone(), b.clone(), one(Stmt::Locked(*m, a.clone()))]);
            out.extend(simpler_blocks(a).into_iter().map(|a| one(Stmt::Try(*m, a, b.clone()))));
            out.extend(simpler_blocks(b).into_iter().map(|b| one(Stmt::Try(*m, a.clone(), b))));
        }
        Stmt::Assume(c) => out.extend(simpler_conds(c).into_iter().map(|c| one(Stmt::Assume(c)))),
        Stmt::Assert(c) => out.extend(simpler_conds(c).into_iter().map(|c| one(Stmt::Assert(c)))),
        Stmt::Step(..) | Stmt::Lock(_) | Stmt::Unlock(_) | Stmt::Return => {}
        Stmt::Input(p) => out.push(one(Stmt::Set(*p, Ex::Const(0)))),
    }
    out
}

fn simpler_exprs(e: &Ex) -> Vec<Ex> {
    match e {
        Ex::Const(0) => Vec::new(),
        Ex::Const(_) => vec![Ex::Const(0)],
        Ex::Var(_) => vec![Ex::Const(0), Ex::Const(1)],
        Ex::Plus(p, _) | Ex::Next(p, _) => vec![Ex::Const(0), Ex::Var(*p)],
        Ex::Sum(p, q) | Ex::Difference(p, q) => vec![Ex::Const(0), Ex::Var(*p), Ex::Var(*q)],
        Ex::Choose(c, a, b) => {
            let mut out = vec![(**a).clone(), (**b).clone()];
            out.extend(simpler_conds(c).into_iter().map(|c| Ex::Choose(Box::new(c), a.clone(), b.clone())));
            out
        }
    }
}

fn simpler_conds(c: &Cond) -> Vec<Cond> {
    match c {
        Cond::Compare(Ex::Const(_), _, Ex::Const(_)) => Vec::new(),
        Cond::Compare(a, op, b) => {
            let truth = |op| Cond::Compare(Ex::Const(0), op, Ex::Const(0));
            let mut out = vec![truth("=="), truth("!=")];
            out.extend(simpler_exprs(a).into_iter().map(|a| Cond::Compare(a, op, b.clone())));
            out.extend(simpler_exprs(b).into_iter().map(|b| Cond::Compare(a.clone(), op, b)));
            out
        }
        Cond::And(a, b) | Cond::Or(a, b) => vec![(**a).clone(), (**b).clone()],
        Cond::Not(a) => vec![(**a).clone()],
        Cond::Truth(_) | Cond::Input => {
            let truth = |op| Cond::Compare(Ex::Const(0), op, Ex::Const(0));
            vec![truth("=="), truth("!=")]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads::{Place, generate};
    use super::*;

    #[test]
    fn keeps_what_fails_and_drops_the_rest() {
        let writes_x = |p: &ThreadProgram| p.to_c().contains("x = 3");
        let seed = (0..).find(|s| writes_x(&generate(*s))).unwrap_or(0);
        let small = shrink(&generate(seed), &mut |p| writes_x(p));
        let statements: usize = small.threads.iter().map(|t| t.0.len()).sum::<usize>() + small.main.len();
        assert!(statements <= 1, "{}", small.to_c());
        assert!(small.to_c().contains("x = 3"));
        assert_eq!(small.after, None);
        let only = Stmt::Set(Place::Global(0), Ex::Const(3));
        let kept = small.threads.iter().flat_map(|t| &t.0).chain(&small.main);
        assert!(kept.into_iter().all(|s| *s == only) || small.globals[0].1 == 3);
    }
}
