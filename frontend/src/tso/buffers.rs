//! The automaton of a thread with the stores that wait in its buffer.
//!
//! A location is one of the thread with the list of the stores that wait, oldest first, each by the edge that it comes
//! from. What is not constant of a store, its address or its value, is in a register of the place in the list, which
//! moves up when the oldest store has come to memory. A load of what may wait is decided by comparing addresses, from the
//! newest store to the oldest.
//!
//! A store comes to memory at locations where a thread may be when it matters: where it does more than compute, where it
//! may be stuck, and right after a store. Elsewhere it could have come, or still come, at one of those: computing
//! commutes with it.

use super::MOST;
use super::attack::Attack;
use super::facts::{BufferUse, Facts, is_fixed};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    CmpOp, Edge, Expr, Graph, IntKind, Limit, Loc, LocationKind, Op, Order, Program, Reg, Register, Template,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Locations of one automaton, at most.
const LOCATIONS: usize = 20_000;

/// Edges of the stores that wait, the oldest first.
pub(super) type Shape = Vec<u32>;

/// An automaton: its graph, its entry and its registers.
pub(super) type Automaton = (Graph, Loc, Vec<Register>);

/// The automaton of a template with buffers; `None` where it needs none.
pub(super) fn build(program: &Program, facts: &Facts, t: usize) -> Option<Automaton> {
    let overtaken = facts.overtaken(program, t);
    overtaken.contains(&true).then(|| product(program, facts, t, &overtaken, None)).flatten()
}

/// The automaton with buffers, or with attacks.
pub(super) fn product(
    program: &Program,
    facts: &Facts,
    t: usize,
    overtaken: &[bool],
    attack: Option<&Attack>,
) -> Option<Automaton> {
    let template = &program.templates[t];
    let make = |most: usize| {
        let mut p = Product {
            facts,
            t,
            template,
            out: template.graph.out_edges(),
            overtaken,
            attack,
            arrives: arrives(template, facts.kinds(t), overtaken),
            most,
            graph: Graph::default(),
            nodes: FxHashMap::default(),
            work: Vec::new(),
            registers: template.registers.clone(),
            slots: BTreeMap::new(),
            limits: BTreeMap::new(),
        };
        let entry = p.node(template.entry, Vec::new());
        p.run(most == MOST[MOST.len() - 1]).then_some((p.graph, entry, p.registers))
    };
    MOST.into_iter().find_map(make)
}

/// Where waiting stores may come to memory.
fn arrives(template: &Template, kinds: &[BufferUse], overtaken: &[bool]) -> Vec<bool> {
    let graph = &template.graph;
    let out = graph.out_edges();
    let passes = |l: usize| {
        let edges = &out[l];
        let ops = || edges.iter().map(|i| &graph.edges[*i].op);
        let goes_on = ops().any(|op| !matches!(op, Op::Assume(_)))
            || ops().any(|a| match a {
                Op::Assume(a) => ops().any(|b| matches!(b, Op::Assume(b) if *b == a.clone().is_false())),
                _ => false,
            });
        goes_on && edges.iter().all(|i| kinds[*i] == BufferUse::Local)
    };
    let mut arrives: Vec<bool> = (0..graph.locations.len()).map(|l| !passes(l)).collect();
    let mut seen = vec![false; graph.locations.len()];
    let mut work: Vec<Loc> =
        (0..overtaken.len()).filter(|i| kinds[*i] == BufferUse::Store).map(|i| graph.edges[i].to).collect();
    while let Some(l) = work.pop() {
        let i = l.0 as usize;
        arrives[i] = true;
        if graph.locations[i].atomic && !std::mem::replace(&mut seen[i], true) {
            work.extend(out[i].iter().map(|e| graph.edges[*e].to));
        }
    }
    arrives
}

/// What a register holds of a waiting store, by its place in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Address(usize),
    Value(usize, IntKind),
    /// What is at the address, read to see that there is something.
    Probe(IntKind),
}

impl Slot {
    fn kind(self) -> IntKind {
        match self {
            Slot::Address(_) => IntKind::Ideal,
            Slot::Value(_, kind) | Slot::Probe(kind) => kind,
        }
    }
}

/// A product under construction.
pub(super) struct Product<'a> {
    pub(super) facts: &'a Facts,
    pub(super) t: usize,
    pub(super) template: &'a Template,
    out: Vec<Vec<usize>>,
    pub(super) overtaken: &'a [bool],
    /// A store that waits never comes to memory: others are asked whether they can tell.
    attack: Option<&'a Attack>,
    arrives: Vec<bool>,
    most: usize,
    pub(super) graph: Graph,
    nodes: FxHashMap<(Loc, Shape), Loc>,
    /// Nodes whose edges are not made yet.
    work: Vec<(Loc, Shape, Loc)>,
    pub(super) registers: Vec<Register>,
    slots: BTreeMap<Slot, Reg>,
    limits: BTreeMap<String, Loc>,
}

impl Product<'_> {
    /// Makes all edges; gives up where there are too many locations, unless it is to go on.
    fn run(&mut self, on: bool) -> bool {
        while let Some((l, shape, node)) = self.work.pop() {
            for k in 0..self.out[l.0 as usize].len() {
                self.edge(self.out[l.0 as usize][k], &shape, node);
            }
            if !shape.is_empty()
                && self.attack.is_none()
                && self.arrives[l.0 as usize]
                && !self.location(node).atomic
            {
                self.arrive(l, &shape, node);
            }
            if self.graph.locations.len() > LOCATIONS && !on {
                return false;
            }
        }
        true
    }

    fn location(&self, l: Loc) -> &relyant_cfa::Location {
        &self.graph.locations[l.0 as usize]
    }

    /// The location of the product.
    pub(super) fn node(&mut self, l: Loc, mut shape: Shape) -> Loc {
        let location = &self.template.graph.locations[l.0 as usize];
        if location.kind != LocationKind::Normal {
            shape.clear();
        }
        if let Some(n) = self.nodes.get(&(l, shape.clone())) {
            return *n;
        }
        self.graph.locations.push(relyant_cfa::Location { order: Order::Direct, ..location.clone() });
        let n = Loc(self.graph.locations.len() as u32 - 1);
        self.nodes.insert((l, shape.clone()), n);
        self.work.push((l, shape, n));
        n
    }

    fn edge(&mut self, i: usize, shape: &Shape, from: Loc) {
        let e = &self.template.graph.edges[i];
        if let Some(attack) = self.attack {
            return self.attack_edge(attack, i, shape, from);
        }
        match (self.facts.kinds(self.t)[i], &e.op) {
            (BufferUse::Drain, _) if !shape.is_empty() => {}
            (BufferUse::Load, Op::Load(r, a, kind)) => self.load(e, (*r, a, *kind), shape, from),
            (BufferUse::Store, Op::Store(..)) if !shape.is_empty() || self.overtaken[i] => {
                self.append(i, shape, from);
            }
            _ => {
                let to = self.node(e.to, shape.clone());
                self.graph.edges.push(Edge { from, to, ..e.clone() });
            }
        }
    }

    /// A load: of the newest store that waits for the address, else of memory.
    pub(super) fn load(&mut self, e: &Edge, (r, a, kind): (Reg, &Expr, IntKind), shape: &Shape, from: Loc) {
        let mut at = from;
        let to = self.node(e.to, shape.clone());
        for (place, i) in shape.iter().enumerate().rev() {
            let Op::Store(stored, _, stored_kind) = &self.template.graph.edges[*i as usize].op else {
                continue;
            };
            if !self.facts.meet(self.t, a, stored) {
                continue;
            }
            let waits = self.address(place, *i);
            let forwarded = match *stored_kind == kind {
                true => (Op::Assign(r, self.value(place, *i)), to),
                false => {
                    (Op::Skip, self.limit("a load sees part of a store that waits in the buffer", e.span))
                }
            };
            if waits == *a {
                self.graph.edges.push(Edge { from: at, to: forwarded.1, op: forwarded.0, span: e.span });
                return;
            }
            let same = Expr::Compare(CmpOp::Eq, Box::new(a.clone()), Box::new(waits));
            let found = self.inner(from, e.span, Order::Direct);
            let next = self.inner(from, e.span, Order::Direct);
            self.graph.add_edge(at, found, Op::Assume(same.clone()), e.span);
            self.graph.add_edge(at, next, Op::Assume(same.is_false()), e.span);
            self.graph.add_edge(found, forwarded.1, forwarded.0, e.span);
            at = next;
        }
        self.graph.edges.push(Edge { from: at, to, ..e.clone() });
    }

    /// A store goes to the end of the list.
    pub(super) fn append(&mut self, i: usize, shape: &Shape, from: Loc) {
        let e = &self.template.graph.edges[i];
        let Op::Store(a, v, kind) = &e.op else { return };
        let place = shape.len();
        if place >= self.most {
            let limit = self.limit("more stores of a thread wait in its buffer than are kept apart", e.span);
            self.graph.add_edge(from, limit, Op::Skip, e.span);
            return;
        }
        let mut ops = Vec::new();
        if !is_fixed(a) {
            // An access to no memory is undefined now, not when it comes to memory.
            ops.push(Op::Load(self.slot(Slot::Probe(*kind)), a.clone(), *kind));
            ops.push(Op::Assign(self.slot(Slot::Address(place)), a.clone()));
        }
        if !is_fixed(v) {
            ops.push(Op::Assign(self.slot(Slot::Value(place, *kind)), v.clone()));
        }
        let mark = match self.attack {
            None => Order::Appended(self.address(place, i as u32), self.value(place, i as u32)),
            Some(_) => Order::Direct,
        };
        let mut longer = shape.clone();
        longer.push(i as u32);
        let to = self.node(e.to, longer);
        self.chain(from, ops, (mark, e.span), to);
    }

    /// The oldest store comes to memory, and the others move up.
    fn arrive(&mut self, l: Loc, shape: &Shape, from: Loc) {
        let first = &self.template.graph.edges[shape[0] as usize];
        let Op::Store(_, _, kind) = &first.op else { return };
        let store = Op::Store(self.address(0, shape[0]), self.value(0, shape[0]), *kind);
        let arrived = self.inner(from, first.span, Order::Arrived);
        self.graph.add_edge(from, arrived, store, first.span);
        let mut ops = Vec::new();
        for (place, i) in shape.iter().enumerate().skip(1) {
            let Op::Store(a, v, kind) = &self.template.graph.edges[*i as usize].op else { continue };
            let slots = [(is_fixed(a), Slot::Address(place - 1), Slot::Address(place))];
            let values = [(is_fixed(v), Slot::Value(place - 1, *kind), Slot::Value(place, *kind))];
            for (_, to, of) in slots.into_iter().chain(values).filter(|s| !s.0) {
                let (to, of) = (self.slot(to), self.slot(of));
                ops.push(Op::Assign(to, Expr::Reg(of)));
            }
        }
        let to = self.node(l, shape[1..].to_vec());
        self.chain(arrived, ops, (Order::Direct, first.span), to);
    }

    /// Operations one after the other, in one step. The location after the last of them is marked.
    fn chain(&mut self, from: Loc, ops: Vec<Op>, (mark, span): (Order, Span), to: Loc) {
        let mut at = from;
        let last = ops.len();
        for (k, op) in ops.into_iter().enumerate() {
            let order = if k + 1 == last { mark.clone() } else { Order::Direct };
            let next = self.inner(from, span, order);
            self.graph.add_edge(at, next, op, span);
            at = next;
        }
        if at == from && mark != Order::Direct {
            let next = self.inner(from, span, mark);
            self.graph.add_edge(at, next, Op::Skip, span);
            at = next;
        }
        self.graph.add_edge(at, to, Op::Skip, span);
    }

    /// A location inside a step that begins somewhere.
    pub(super) fn inner(&mut self, from: Loc, span: Span, order: Order) -> Loc {
        let inlined = self.location(from).inlined;
        let l = self.graph.add_location(span);
        let location = &mut self.graph.locations[l.0 as usize];
        (location.atomic, location.inlined, location.order) = (true, inlined, order);
        l
    }

    pub(super) fn limit(&mut self, what: impl Into<String>, span: Span) -> Loc {
        let what = what.into();
        if let Some(l) = self.limits.get(&what) {
            return *l;
        }
        let l = self.graph.add_location(span);
        self.graph.locations[l.0 as usize].kind = LocationKind::Limit(Limit::from(what.clone()));
        self.limits.insert(what, l);
        l
    }

    pub(super) fn address(&mut self, place: usize, i: u32) -> Expr {
        match &self.template.graph.edges[i as usize].op {
            Op::Store(a, ..) if is_fixed(a) => a.clone(),
            _ => Expr::Reg(self.slot(Slot::Address(place))),
        }
    }

    fn value(&mut self, place: usize, i: u32) -> Expr {
        match &self.template.graph.edges[i as usize].op {
            Op::Store(_, v, _) if is_fixed(v) => v.clone(),
            Op::Store(_, _, kind) => Expr::Reg(self.slot(Slot::Value(place, *kind))),
            _ => Expr::Const(0),
        }
    }

    pub(super) fn slot(&mut self, slot: Slot) -> Reg {
        if let Some(r) = self.slots.get(&slot) {
            return *r;
        }
        let r = self.register(slot.kind());
        self.slots.insert(slot, r);
        r
    }

    pub(super) fn register(&mut self, kind: IntKind) -> Reg {
        self.registers.push(Register { name: String::new(), kind });
        Reg(self.registers.len() as u32 - 1)
    }
}
