//! Whether some run comes to its end at all: where each one stops before, at an assumption or an undefined step, a program
//! is safe whatever it does.

use relyant_cfa::{BinOp, Expr, Loc, LocationKind, Op, Program, Shown, Undefined, Violated};
use relyant_interp::explore::{ExploreOptions, explore};
use relyant_interp::{Exploration, replay};

/// States that are looked at.
const STATES: usize = 3000;

/// What is said where none does.
const NOTE: &str = "NO RUN COMES TO ITS END: each one stops at an assumption or at an undefined step, waits for ever or \
                    goes on for ever";

/// A line for the report, if no run comes to its end and something is assumed.
pub(super) fn note(program: &Program, cancel: &dyn Fn() -> bool) -> Option<String> {
    let assumed = program.templates.iter().flat_map(|t| &t.graph.locations).any(|l| l.assumes);
    if program.approximate || !(assumed || may_be_undefined(program)) {
        return None;
    }
    let mut p = program.clone();
    (p.deadlock, p.exclusive) = (false, None);
    for t in &mut p.templates {
        for i in 0..t.graph.edges.len() {
            let ends = match t.graph.edges[i].op {
                Op::Halt => true,
                Op::ThreadExit(_) => t.initial,
                _ => false,
            };
            if ends {
                let end = t.graph.add_location(t.graph.edges[i].span);
                t.graph.locations[end.0 as usize].kind = LocationKind::Error(Violated::End);
                (t.graph.edges[i].op, t.graph.edges[i].to) = (Op::Skip, end);
            }
        }
    }
    match explored(&p, cancel) {
        Some(Exploration::Exhausted { complete: true, .. }) => Some(NOTE.into()),
        _ => None,
    }
}

fn explored(p: &Program, cancel: &dyn Fn() -> bool) -> Option<Exploration> {
    let options = ExploreOptions {
        max_states: STATES,
        max_steps: 10 * STATES,
        eager_local: true,
        symmetry: true,
        ..ExploreOptions::default()
    };
    explore(p, &options, cancel).ok()
}

/// A line for the report, if it is assumed that threads give back only locks that they hold, and a short search finds one that does not.
pub(super) fn not_held(program: &Program, cancel: &dyn Fn() -> bool) -> Option<String> {
    if program.approximate {
        return None;
    }
    let mut p = program.clone();
    (p.deadlock, p.exclusive) = (false, None);
    let mut any = false;
    for t in &mut p.templates {
        let out = t.graph.out_edges();
        let looked: Vec<Loc> =
            t.graph.edges.iter().filter(|e| looks_at_lock(program, &e.op)).map(|e| e.to).collect();
        let assumes = |l: &usize| t.graph.locations[*l].assumes && looked.contains(&Loc(*l as u32));
        let all: Vec<usize> = (0..out.len()).filter(assumes).collect();
        for l in all {
            let [e] = out[l][..] else { continue };
            let Op::Assume(test) = t.graph.edges[e].op.clone() else { continue };
            let span = t.graph.edges[e].span;
            let error = t.graph.add_location(span);
            t.graph.locations[error.0 as usize].kind = LocationKind::Error(Violated::End);
            t.graph.add_edge(Loc(l as u32), error, Op::Assume(test.is_false()), span);
            any = true;
        }
    }
    if !any {
        return None;
    }
    let Some(Exploration::Violation(schedule)) = explored(&p, cancel) else { return None };
    let trace = replay(&p, &schedule).ok().filter(|t| t.violation == Violated::End)?;
    let (file, line, _) = trace.place;
    Some(format!(
        "NOT SO IN EACH RUN: in {file}:{line} a lock is given back that the thread does not hold, and such runs end there"
    ))
}

/// Does it read who holds a lock, at a constant address?
fn looks_at_lock(program: &Program, op: &Op) -> bool {
    let Op::Load(_, address, _) = op else { return false };
    let (o, k) = match address {
        Expr::Addr(o) => (o, 0),
        Expr::Binary(BinOp::Add, a, k, _) => match (&**a, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => (o, *k),
            _ => return false,
        },
        _ => return false,
    };
    let look = program.objects.get(o.0 as usize).map(|o| &o.look);
    let shown = u32::try_from(k).ok().and_then(|k| look.map(|l| l.of(k)));
    matches!(shown, Some(Shown::Owner | Shown::Readers))
}

/// Does it compute what C may leave undefined? What a thread joins, say, is not looked at.
fn may_be_undefined(program: &Program) -> bool {
    program.undefined.iter().any(|u| {
        matches!(
            u,
            Undefined::Overflow
                | Undefined::Division
                | Undefined::Shift
                | Undefined::Null
                | Undefined::Outside
                | Undefined::Foreign
        )
    })
}
