//! Hash-consed terms, equal exactly when their numbers are.
//!
//! Arguments of an associative and commutative operator are flattened and sorted, so that terms are equal modulo AC
//! when they are the same. `s(s(t))` is one node.

use crate::timbuk::{self, OpId, System};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A variable of terms, by number.
pub type Var = u32;

/// A term, by its place in the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// Arguments of an operator, sorted where it is AC.
pub type Args = SmallVec<[TermId; 4]>;

/// A term's root, with its arguments as terms of the same arena.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TermNode {
    /// A variable, bound nowhere here.
    Var(Var),
    /// `s` that many times, once or more; the argument is no successor.
    Succ(u64, TermId),
    /// Any other operator; flattened and sorted where it is AC.
    App(OpId, Args),
}

/// What is remembered about a term.
#[derive(Clone, Copy)]
struct Facts {
    ground: bool,
    depth: u32,
    size: u32,
    /// Its operators, each a bit; several may share one.
    operators: u64,
}

/// All terms, each once; they only become more, so that a [`TermId`] stays.
pub struct Arena {
    /// By term: its root; arguments come before it.
    nodes: Vec<TermNode>,
    /// By term, as long as `nodes`.
    facts: Vec<Facts>,
    /// The term of each root, the inverse of `nodes`.
    index: FxHashMap<TermNode, TermId>,
    /// Its image under [`Arena::shape`], by term.
    shapes: FxHashMap<TermId, TermId>,
    skeletons: FxHashMap<TermId, TermId>,
    /// By operator: is it associative and commutative?
    ac: Vec<bool>,
    successor: Option<OpId>,
    /// The first natural, and its value.
    first: Option<(TermId, u64)>,
}

fn bit(op: OpId) -> u64 {
    1 << (op.0 % 64)
}

/// Bindings of variables; those of bound terms' variables are to be followed.
#[derive(Clone, Default, Debug)]
pub struct Subst(SmallVec<[(Var, TermId); 8]>);

impl Subst {
    /// What a variable is bound to.
    pub fn get(&self, v: Var) -> Option<TermId> {
        self.0.iter().find(|b| b.0 == v).map(|b| b.1)
    }
    /// Binds a variable that is not bound.
    pub fn bind(&mut self, v: Var, t: TermId) {
        debug_assert!(self.get(v).is_none());
        self.0.push((v, t));
    }
}

impl Arena {
    /// No terms but the first natural.
    pub fn new(system: &System) -> Arena {
        let mut arena = Arena {
            nodes: Vec::new(),
            facts: Vec::new(),
            index: FxHashMap::default(),
            shapes: FxHashMap::default(),
            skeletons: FxHashMap::default(),
            ac: system.ops.iter().map(|o| o.ac).collect(),
            successor: system.find("s", 1),
            first: None,
        };
        arena.first = system.naturals.map(|n| (arena.app(n.first, Args::new()), n.value));
        arena
    }
    /// The root of a term.
    pub fn node(&self, t: TermId) -> &TermNode {
        &self.nodes[t.0 as usize]
    }
    /// Has it no variables?
    pub fn ground(&self, t: TermId) -> bool {
        self.facts[t.0 as usize].ground
    }
    /// How deep it is.
    pub fn depth(&self, t: TermId) -> u32 {
        self.facts[t.0 as usize].depth
    }
    /// How many nodes it has as a tree.
    pub fn size(&self, t: TermId) -> u32 {
        self.facts[t.0 as usize].size
    }
    /// Its operators, each a bit; several may share one.
    pub fn operators(&self, t: TermId) -> u64 {
        self.facts[t.0 as usize].operators
    }
    /// Is the operator AC?
    pub fn is_ac(&self, op: OpId) -> bool {
        self.ac[op.0 as usize]
    }
    /// The successor operator, where the system declares one.
    pub fn successor(&self) -> Option<OpId> {
        self.successor
    }
    /// The first natural and its value.
    pub fn first(&self) -> Option<(TermId, u64)> {
        self.first
    }

    fn intern(&mut self, node: TermNode) -> TermId {
        if let Some(t) = self.index.get(&node) {
            return *t;
        }
        let facts = match &node {
            TermNode::Var(_) => Facts { ground: false, depth: 0, size: 1, operators: 0 },
            TermNode::Succ(_, t) => Facts {
                ground: self.ground(*t),
                depth: self.depth(*t).saturating_add(1),
                size: self.size(*t).saturating_add(1),
                operators: self.operators(*t) | self.successor.map_or(0, bit),
            },
            TermNode::App(op, args) => Facts {
                ground: args.iter().all(|a| self.ground(*a)),
                depth: args.iter().map(|a| self.depth(*a)).max().map_or(0, |d| d.saturating_add(1)),
                size: args.iter().fold(1, |n: u32, a| n.saturating_add(self.size(*a))),
                operators: args.iter().fold(bit(*op), |set, a| set | self.operators(*a)),
            },
        };
        let t = TermId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.facts.push(facts);
        self.index.insert(node, t);
        t
    }
    /// The term that is a variable alone.
    pub fn var(&mut self, v: Var) -> TermId {
        self.intern(TermNode::Var(v))
    }
    /// `s` applied `n` times.
    pub fn succ(&mut self, n: u64, t: TermId) -> TermId {
        match (n, self.node(t)) {
            (0, _) => t,
            // beyond any number that is let through
            (_, TermNode::Succ(m, base)) => {
                let (n, base) = (n.saturating_add(*m), *base);
                self.intern(TermNode::Succ(n, base))
            }
            _ => self.intern(TermNode::Succ(n, t)),
        }
    }
    /// The natural of this value, if there is one.
    pub fn natural(&mut self, value: u64) -> Option<TermId> {
        let (first, least) = self.first?;
        Some(self.succ(value.checked_sub(least)?, first))
    }
    /// An operator with its arguments. An AC operator with one argument left is that argument.
    pub fn app(&mut self, op: OpId, args: Args) -> TermId {
        if Some(op) == self.successor {
            return match args.first() {
                Some(t) => self.succ(1, *t),
                None => self.intern(TermNode::App(op, args)),
            };
        }
        if !self.is_ac(op) {
            return self.intern(TermNode::App(op, args));
        }
        let mut flat = Args::new();
        for a in args {
            match self.node(a) {
                TermNode::App(g, inner) if *g == op => flat.extend_from_slice(inner),
                _ => flat.push(a),
            }
        }
        if flat.len() == 1 {
            return flat[0];
        }
        flat.sort_unstable();
        self.intern(TermNode::App(op, flat))
    }
    /// A term of the input; `var` says which variable is which.
    pub fn import(&mut self, t: &timbuk::Term, var: &impl Fn(timbuk::VarId) -> Var) -> TermId {
        match t {
            timbuk::Term::Var(v) => self.var(var(*v)),
            timbuk::Term::App(op, args) => {
                let args: Args = args.iter().map(|a| self.import(a, var)).collect();
                self.app(*op, args)
            }
        }
    }
    /// A term as the input would have it.
    pub fn export(&self, t: TermId) -> timbuk::Term {
        match self.node(t) {
            TermNode::Var(v) => timbuk::Term::Var(timbuk::VarId(*v)),
            TermNode::App(op, args) => timbuk::Term::App(*op, args.iter().map(|a| self.export(*a)).collect()),
            TermNode::Succ(n, base) => {
                let mut out = self.export(*base);
                if let Some(s) = self.successor {
                    for _ in 0..*n {
                        out = timbuk::Term::App(s, vec![out]);
                    }
                }
                out
            }
        }
    }

    /// Follows bindings of a variable.
    pub fn walk(&self, mut t: TermId, subst: &Subst) -> TermId {
        while let TermNode::Var(v) = self.node(t) {
            match subst.get(*v) {
                Some(u) => t = u,
                None => break,
            }
        }
        t
    }
    /// The instance of a term.
    pub fn apply(&mut self, t: TermId, subst: &Subst) -> TermId {
        self.replace(t, &|v| subst.get(v), true)
    }
    /// Variables replaced once, at the same time.
    pub fn rename(&mut self, t: TermId, map: &impl Fn(Var) -> Option<TermId>) -> TermId {
        self.replace(t, map, false)
    }
    fn replace(&mut self, t: TermId, map: &impl Fn(Var) -> Option<TermId>, follow: bool) -> TermId {
        if self.ground(t) {
            return t;
        }
        match self.node(t).clone() {
            TermNode::Var(v) => match map(v) {
                Some(u) if follow => self.replace(u, map, true),
                Some(u) => u,
                None => t,
            },
            TermNode::Succ(n, base) => {
                let base = self.replace(base, map, follow);
                self.succ(n, base)
            }
            TermNode::App(op, args) => {
                let args = args.iter().map(|a| self.replace(*a, map, follow)).collect();
                self.app(op, args)
            }
        }
    }
    /// Calls `f` for each occurrence of a variable, in an order that does not depend on their names.
    pub fn each_var(&mut self, t: TermId, f: &mut impl FnMut(Var)) {
        if self.ground(t) {
            return;
        }
        match self.node(t).clone() {
            TermNode::Var(v) => f(v),
            TermNode::Succ(_, base) => self.each_var(base, f),
            TermNode::App(op, mut args) => {
                if self.is_ac(op) {
                    let mut keyed: Vec<(TermId, TermId)> =
                        args.iter().map(|a| (self.shape(*a), *a)).collect();
                    keyed.sort_unstable();
                    args = keyed.into_iter().map(|k| k.1).collect();
                }
                args.iter().for_each(|a| self.each_var(*a, f));
            }
        }
    }
    /// The term with all variables the same.
    pub fn shape(&mut self, t: TermId) -> TermId {
        if self.ground(t) {
            return t;
        }
        if let Some(s) = self.shapes.get(&t) {
            return *s;
        }
        let star = self.var(Var::MAX);
        let s = self.rename(t, &|_| Some(star));
        self.shapes.insert(t, s);
        s
    }
    /// The term with all naturals and all variables the same. An instance of a term whose variables are naturals
    /// has the term's skeleton.
    pub fn skeleton(&mut self, t: TermId) -> TermId {
        if let Some(s) = self.skeletons.get(&t) {
            return *s;
        }
        let first = self.first.map(|f| f.0);
        let star = self.var(Var::MAX);
        let s = match self.node(t).clone() {
            TermNode::Var(_) => star,
            TermNode::App(..) if Some(t) == first => star,
            TermNode::Succ(n, base) => match self.skeleton(base) {
                s if s == star => star,
                s => self.succ(n, s),
            },
            TermNode::App(op, args) => {
                let args = args.iter().map(|a| self.skeleton(*a)).collect();
                self.app(op, args)
            }
        };
        self.skeletons.insert(t, s);
        s
    }
}
