//! Robustness: can another thread tell that a load overtook a store?
//!
//! Where none can, each run with store buffers is equivalent to one without, and the program is as safe as if there were
//! none. If some can, there is a first step at which it is seen: a thread has loaded `y` while a store of its own to
//! another place waits, and a second thread now stores to `y`, so that the load cannot be put off until after the waiting
//! store any more. Up to there no other load has to be put off past a store of another thread; so the run up to there is one without buffers in
//! which the first thread's waiting store, and what comes after it, are done by nobody else's knowledge: it is the only
//! thread that needs a buffer (Bouajjani, Derevenetc, Meyer, "Checking and enforcing robustness against TSO", ESOP 2013,
//! have the same attacker; they ask in addition whether a cycle of dependences closes, so that more programs are robust).
//!
//! The program is changed so that an *attack* is a location of ours: at a store that a load may overtake, a thread may leave for
//! a copy of its automaton in which its stores wait for ever. Where it loads there what others write, it may put the address
//! into the *watch* and stay. Whoever is about to store to the address in the watch comes to a limit. All other steps are
//! those without buffers, so that a proof of the changed program is one of both: no error without buffers, and no way to
//! tell that there are some.

use super::buffers::{Automaton, Product, Shape, product};
use super::facts::{BufferUse, Facts, overtaking};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{CmpOp, Edge, Expr, IntKind, Loc, LocationKind, ObjId, Object, Op, Owner, Program};

/// What is added to the automaton of a template.
pub(super) struct Attack {
    /// Holds the address that an attacker has loaded; 0 for none.
    watch: ObjId,
    /// By edge: a store to what another thread may load in an attack.
    checked: Vec<bool>,
    /// By location: an attacker comes from here to a load of what others write.
    leads: Vec<bool>,
}

/// Adds attacks to a program; not to one in which no load may overtake a store.
pub(super) fn add(program: &mut Program, facts: &Facts) {
    let all = 0..program.templates.len();
    let overtaken: Vec<Vec<bool>> = all.clone().map(|t| facts.overtaken(program, t)).collect();
    if !overtaken.iter().flatten().any(|o| *o) {
        return;
    }
    let loads: Vec<Vec<bool>> = all.clone().map(|t| overtaking(facts, program, t, &overtaken[t])).collect();
    let watch = ObjId(program.objects.len() as u32);
    program.bases.push(
        program.bases.last().map_or(1, |b| b + program.objects[watch.0 as usize - 1].cells.len() as i128 + 1),
    );
    program.objects.push(Object::synthetic("(overtaking)", IntKind::Ideal, Some(0), Span::default()));
    program.owners.push(Owner::Shared);
    let made: Vec<Option<Automaton>> = all
        .map(|t| {
            let attack = Attack {
                watch,
                checked: checked(program, facts, &loads, t),
                leads: leads(program, facts, t),
            };
            let needed = overtaken[t].contains(&true) || attack.checked.contains(&true);
            needed.then(|| product(program, facts, t, &overtaken[t], Some(&attack))).flatten()
        })
        .collect();
    for (template, made) in program.templates.iter_mut().zip(made) {
        if let Some((graph, entry, registers)) = made {
            (template.graph, template.entry, template.registers) = (graph, entry, registers);
        }
    }
}

/// Stores to what an attacker of another thread may have loaded.
fn checked(program: &Program, facts: &Facts, overtaking: &[Vec<bool>], t: usize) -> Vec<bool> {
    let several = program.templates[t].count != relyant_cfa::Count::AtMost(1);
    let loads: Vec<(usize, &Expr)> = (0..program.templates.len())
        .filter(|u| *u != t || several)
        .flat_map(|u| {
            let edges = program.templates[u].graph.edges.iter().enumerate();
            edges.filter(move |(i, _)| overtaking[u][*i]).filter_map(move |(_, e)| match &e.op {
                Op::Load(_, a, _) => Some((u, a)),
                _ => None,
            })
        })
        .collect();
    let is = |e: &Edge| match &e.op {
        Op::Store(a, ..) => !facts.is_alone(t, e.from) && loads.iter().any(|l| facts.meet_across(*l, (t, a))),
        _ => false,
    };
    program.templates[t].graph.edges.iter().map(is).collect()
}

/// Locations from where a thread, with a store that waits, comes to a load of what others write.
fn leads(program: &Program, facts: &Facts, t: usize) -> Vec<bool> {
    let graph = &program.templates[t].graph;
    let into = graph.into_edges();
    let mut leads = vec![false; graph.locations.len()];
    let goal = |i: usize, e: &Edge| match facts.kinds(t)[i] {
        BufferUse::Load => facts.contested(t)[i],
        BufferUse::Direct => matches!(e.op, Op::Load(..) | Op::Store(..)),
        BufferUse::Local | BufferUse::Store | BufferUse::Drain => false,
    };
    let goals = graph.edges.iter().enumerate().filter(|(i, e)| goal(*i, e));
    let mut work: Vec<Loc> = goals.map(|(_, e)| e.from).collect();
    while let Some(l) = work.pop() {
        if std::mem::replace(&mut leads[l.0 as usize], true) {
            continue;
        }
        let passes =
            |i: &&usize| matches!(facts.kinds(t)[**i], BufferUse::Local | BufferUse::Load | BufferUse::Store);
        work.extend(into[l.0 as usize].iter().filter(passes).map(|i| graph.edges[*i].from));
    }
    leads
}

impl Product<'_> {
    /// The copies of an edge.
    pub(super) fn attack_edge(&mut self, attack: &Attack, i: usize, shape: &Shape, from: Loc) {
        let e = &self.template.graph.edges[i];
        let kind = self.facts.kinds(self.t)[i];
        let leads = attack.leads[e.to.0 as usize];
        if shape.is_empty() {
            self.plain(attack, i, from);
            if kind == BufferUse::Store && self.overtaken[i] && leads {
                self.append(i, shape, from);
            }
            return;
        }
        // What an attacker comes to is come to without buffers as well.
        if self.template.graph.locations[e.to.0 as usize].kind != LocationKind::Normal {
            return;
        }
        match (kind, &e.op) {
            (BufferUse::Local, _) if leads => {
                let to = self.node(e.to, shape.clone());
                self.graph.edges.push(Edge { from, to, ..e.clone() });
            }
            (BufferUse::Store, _) if leads => self.append(i, shape, from),
            (BufferUse::Load, Op::Load(r, a, kind)) => {
                let newest = shape.last().map(|i| self.address(shape.len() - 1, *i));
                if self.facts.contested(self.t)[i] && newest.as_ref() != Some(a) {
                    self.watch(attack, a.clone(), e.span, from);
                }
                if leads {
                    self.load(e, (*r, a, *kind), shape, from);
                }
            }
            (BufferUse::Direct, Op::Load(..) | Op::Store(..)) => {
                let limit = self.limit("a thread uses an object of the library while a store waits", e.span);
                self.graph.add_edge(from, limit, Op::Skip, e.span);
            }
            _ => {}
        }
    }

    /// An edge as it is without buffers. A store looks at the watch first.
    fn plain(&mut self, attack: &Attack, i: usize, from: Loc) {
        let e = &self.template.graph.edges[i];
        let to = self.node(e.to, Vec::new());
        let (true, Op::Store(a, ..)) = (attack.checked[i], &e.op) else {
            self.graph.edges.push(Edge { from, to, ..e.clone() });
            return;
        };
        let r = self.register(IntKind::Ideal);
        let [seen, passed] = [(); 2].map(|()| self.inner(from, e.span, Default::default()));
        let what = format!(
            "a load may overtake a store, and another thread can tell: what is loaded is written in line {}",
            e.span.line
        );
        let limit = self.limit(what, e.span);
        let same = Expr::Compare(CmpOp::Eq, Box::new(Expr::Reg(r)), Box::new(a.clone()));
        self.graph.add_edge(from, seen, Op::Load(r, Expr::Addr(attack.watch), IntKind::Ideal), e.span);
        self.graph.add_edge(seen, limit, Op::Assume(same.clone()), e.span);
        self.graph.add_edge(seen, passed, Op::Assume(same.is_false()), e.span);
        self.graph.edges.push(Edge { from: passed, to, ..e.clone() });
    }

    /// The attacker has loaded what is at an address, and stays.
    fn watch(&mut self, attack: &Attack, a: Expr, span: Span, from: Loc) {
        let stays = self.graph.add_location(span);
        self.graph.locations[stays.0 as usize].assumes = true;
        self.graph.add_edge(from, stays, Op::Store(Expr::Addr(attack.watch), a, IntKind::Ideal), span);
    }
}
