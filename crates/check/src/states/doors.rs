//! What others may touch before a thread moves.
//!
//! A *door* is a location with one step, a load of one certain shared cell (there is no other that the address may be of) into an atomic section that goes on only
//! where something holds of the value: most locks are taken so. While the cell has a value for which it does not hold,
//! the door is shut: a thread there has no move. Take a thread, and a set of shut doors whose cells nobody else can
//! write without going through one of them. Then, until the thread moves, the others stay on this side of these doors:
//! the first step through one would need a write before it. So they touch no more than what can be reached without
//! going through, which is worked out here, for the largest such set. Moves that leave all that alone are independent.

use super::future::Yet;
use super::things::Thing;
use relyant_cfa::{Expr, ObjId, Op, Template};
use relyant_interp::eval::{Env, eval};
use relyant_interp::machine::{Machine, State};
use rustc_hash::{FxHashMap, FxHashSet};

/// Doors that are told apart; others count as open.
const MOST_DOORS: usize = 64;

/// A place in the program: template and location.
pub(super) type Place = (usize, usize);

type Cell = (ObjId, u32);

/// The only cell at an address of a template, and its number among what threads share.
type ThingAt<'t> = dyn Fn(usize, &Expr) -> Option<(Cell, Thing)> + 't;

struct Door {
    cell: Cell,
    thing: Thing,
    /// Where the value goes: template, register.
    into: (usize, u32),
    conditions: Vec<Expr>,
}

/// The doors of a program, and how to get from place to place.
#[derive(Default)]
pub(super) struct Doors {
    doors: Vec<Door>,
    /// By template and location.
    at: Vec<Vec<Option<usize>>>,
    /// By template and location: what the steps there touch.
    own: Vec<Vec<Yet>>,
    /// By template and location: where they lead.
    next: Vec<Vec<Vec<Place>>>,
}

/// What was worked out before: by place and shut doors.
#[derive(Default)]
pub(super) struct Memo {
    before: FxHashMap<(Place, u64), Yet>,
    /// By door: the value that it was asked about last, and was it shut?
    shut: Vec<Option<(i128, bool)>>,
}

impl Doors {
    /// Finds them. `own` and `next` are by template and location, `thing` numbers a cell that threads share.
    pub fn new(
        machine: &Machine<'_>,
        own: Vec<Vec<Yet>>,
        next: Vec<Vec<Vec<Place>>>,
        thing: &ThingAt<'_>,
    ) -> Doors {
        let mut doors = Doors { own, next, ..Doors::default() };
        for (t, template) in machine.program().templates.iter().enumerate() {
            let out = template.graph.out_edges();
            let mut at = Vec::new();
            for l in 0..out.len() {
                let door = door(machine, (t, template), &out, l, thing);
                at.push(door.filter(|_| doors.doors.len() < MOST_DOORS).map(|door| {
                    doors.doors.push(door);
                    doors.doors.len() - 1
                }));
            }
            doors.at.push(at);
        }
        doors
    }

    /// The doors that are shut in a state, as bits.
    pub fn shut(&self, machine: &Machine<'_>, state: &State, memo: &mut Memo) -> u64 {
        let mut bits = 0;
        memo.shut.resize(self.doors.len(), None);
        for (i, door) in self.doors.iter().enumerate() {
            let (o, k) = door.cell;
            if machine.is_unchosen(state, o, k as usize) {
                continue;
            }
            let Some(value) = machine.value(state, 0, door.cell) else { continue };
            let shut = match memo.shut[i] {
                Some((v, shut)) if v == value => shut,
                _ => door.is_shut(machine, value),
            };
            memo.shut[i] = Some((value, shut));
            bits |= u64::from(shut) << i;
        }
        bits
    }

    /// Does it hold of all that others at these places may touch before a thread that is not among them moves, and of
    /// these things, which are read by others as they are now?
    pub fn hold(
        &self,
        mut shut: u64,
        (others, read): (&[Place], &[Thing]),
        memo: &mut Memo,
        holds: &dyn Fn(&Yet) -> bool,
    ) -> bool {
        let has = |set: &[u64], x: Thing| set[x as usize / 64] >> (x % 64) & 1 == 1;
        loop {
            let mut open = 0;
            let mut all = true;
            for place in others {
                let yet = self.before(*place, shut, memo);
                for (i, door) in self.doors.iter().enumerate() {
                    open |= u64::from(has(&yet.written, door.thing)) << i;
                }
                all &= holds(yet) && !read.iter().any(|x| has(&yet.written, *x));
            }
            if open & shut == 0 {
                return all && (read.is_empty() || holds(&self.reads(read)));
            }
            shut &= !open;
        }
    }

    fn reads(&self, read: &[Thing]) -> Yet {
        let words = self.own.iter().flatten().map(|yet| yet.read.len()).max().unwrap_or(0);
        let mut sum = Yet { read: vec![0; words], written: vec![0; words] };
        read.iter().for_each(|x| sum.read[*x as usize / 64] |= 1 << (x % 64));
        sum
    }

    /// What may be touched from a place on, on this side of the shut doors.
    fn before<'m>(&self, from: Place, shut: u64, memo: &'m mut Memo) -> &'m Yet {
        memo.before.entry((from, shut)).or_insert_with(|| {
            let mut sum = Yet::default();
            let mut seen = FxHashSet::from_iter([from]);
            let mut worklist = vec![from];
            while let Some((t, l)) = worklist.pop() {
                let own = &self.own[t][l];
                sum.read.resize(own.read.len(), 0);
                sum.written.resize(own.written.len(), 0);
                if self.at[t][l].is_some_and(|door| shut >> door & 1 == 1) {
                    continue;
                }
                sum.read.iter_mut().zip(&own.read).for_each(|(a, b)| *a |= b);
                sum.written.iter_mut().zip(&own.written).for_each(|(a, b)| *a |= b);
                worklist.extend(self.next[t][l].iter().copied().filter(|place| seen.insert(*place)));
            }
            sum
        })
    }
}

impl Door {
    /// Does none of the conditions hold of the value, whoever looks?
    fn is_shut(&self, machine: &Machine<'_>, value: i128) -> bool {
        let program = machine.program();
        let (t, r) = self.into;
        let mut registers = vec![0; program.templates[t].registers.len()];
        registers[r as usize] = value;
        let env = Env {
            registers: &registers,
            self_id: 0,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        self.conditions.iter().all(|c| eval(c, &env) == Ok(0))
    }
}

/// The door at a location, if there is one.
fn door(
    machine: &Machine<'_>,
    (t, template): (usize, &Template),
    out: &[Vec<usize>],
    l: usize,
    thing: &ThingAt<'_>,
) -> Option<Door> {
    let graph = &template.graph;
    let &[load] = out[l].as_slice() else { return None };
    let Op::Load(r, address, kind) = &graph.edges[load].op else { return None };
    let inside = graph.edges[load].to.0 as usize;
    if !graph.locations[inside].atomic || out[inside].is_empty() {
        return None;
    }
    let mut conditions = Vec::new();
    for i in &out[inside] {
        match &graph.edges[*i].op {
            Op::Assume(e) if is_about(e, r.0) => conditions.push(e.clone()),
            _ => return None,
        }
    }
    let (cell, thing) = thing(t, address)?;
    // The register has the value of the cell, as it is.
    let kept = machine.program().objects[cell.0.0 as usize].cells[cell.1 as usize].0;
    let same = kept == *kind && template.registers[r.0 as usize].kind == *kind;
    same.then_some(Door { cell, thing, into: (t, r.0), conditions })
}

/// Is the value of an expression known from that of a register, whichever thread it is and wherever objects are?
fn is_about(e: &Expr, register: u32) -> bool {
    match e {
        Expr::Const(_) => true,
        Expr::Reg(r) => r.0 == register,
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => is_about(a, register),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => is_about(a, register) && is_about(b, register),
        Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => false,
    }
}
