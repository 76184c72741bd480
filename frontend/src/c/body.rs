//! The automaton of the function being lowered.

use super::types::Ty;
use super::views::Conversion;
use super::walks::Sight;
use crate::orders::{Operand, Region};
use crate::races::Access;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    Edge, Expr, Graph, InputSource, IntKind, Limit, Loc, LocationKind, ObjId, Op, Reg, Register, Told,
    Violated,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A label of the function.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// The location that jumps to it lead to.
    pub at: Loc,
    /// Has its statement been seen, and how many locations were there then?
    pub defined: Option<usize>,
    /// First use or definition.
    pub span: Span,
}

/// A region of operands being lowered.
#[derive(Clone, Copy, Debug)]
pub struct OpenRegion {
    /// Its index in `Body::regions`.
    region: usize,
    /// Locations there were at its start.
    first: usize,
    /// Where the operand being lowered starts.
    entry: Loc,
    /// Locations and edges there were then.
    locations: usize,
    edges: usize,
    /// Operands so far that do more than compute.
    acting: usize,
}

/// State of lowering one function. Locations and edges that it names are those of `graph`: [`Body::rewind`] cuts
/// everything to what was there at the mark.
#[derive(Debug)]
pub struct Body {
    /// Name of the function.
    pub name: String,
    /// Locations and edges so far; the end is location 0, the start location 1.
    pub graph: Graph,
    /// Registers so far; a [`Reg`] is an index here.
    pub registers: Vec<Register>,
    /// Local objects so far.
    pub locals: Vec<ObjId>,
    /// Those of them that are given values before anything else is done with them, jumps apart.
    pub started: Vec<ObjId>,
    /// Where the next edge starts; another thread may move there unless the location is atomic.
    pub cur: Loc,
    /// The statement being lowered: the place of all locations and edges that are made.
    pub span: Span,
    /// Labels used or defined so far, by name.
    pub labels: BTreeMap<String, Label>,
    /// Parameters that point to rows of variable length.
    pub rows: FxHashSet<String>,
    /// Names of locals that need an address.
    pub addressed: FxHashSet<String>,
    /// What it returns, as declared.
    pub result: Ty,
    /// Edges that begin (+1) or end (-1) an atomic section, ascending; they do nothing else.
    pub markers: Vec<(usize, i32)>,
    /// Locations after calls: never inside the step of a statement.
    pub open: FxHashSet<Loc>,
    /// Locations that are never reached: what leads there waits for ever.
    pub dead: FxHashSet<Loc>,
    /// Those of them where the program assumes that nobody comes, rather than that a thread waits.
    pub assumed: FxHashSet<Loc>,
    /// The one end of the function.
    pub end: Loc,
    /// Where the function starts.
    pub first: Loc,
    /// Conversions of pointers to bytes or to anything.
    pub conversions: Vec<Conversion>,
    /// Pointers that have to do with bytes.
    pub sights: Vec<Sight>,
    /// Operands whose order C leaves open; a region comes after the one that it is inside of.
    pub regions: Vec<Region>,
    /// Those of them that are being lowered, innermost last: `begin_operands` adds one and `end_operands` takes it away.
    open_regions: Vec<OpenRegion>,
    /// Locations inside a step of an operand, or inside a call that is lowered here: other operands wait.
    pub held: FxHashSet<Loc>,
    /// Calls around the expression being lowered; 0 between statements.
    pub nesting: usize,
    /// Calls around the arguments that ended last, and the number of locations there were then.
    pub last_arguments: Option<(usize, usize)>,
    /// Accesses of the program to its objects.
    pub accesses: Vec<Access>,
    /// Its blocks, and which of them is being lowered.
    pub blocks: super::blocks::Blocks,
    /// Has the function a switch?
    pub switched: bool,
    /// Where a record that the function returns goes: a hidden first parameter.
    pub return_to: Option<Reg>,
    /// Where the arguments are that no parameter takes, in a function with a list of them.
    pub list: Option<Reg>,
    /// How many words the command line has, and where they begin, in `main` with both parameters.
    pub words: Option<(Reg, Reg)>,
    /// Stores give a new object its first values.
    pub initial: bool,
    /// Sizes in bytes of local arrays whose length is not constant: of the whole, of a row, and so on.
    pub lengths: FxHashMap<ObjId, Vec<Expr>>,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    locations: usize,
    edges: usize,
    registers: usize,
    markers: usize,
    locals: usize,
    conversions: usize,
    sights: usize,
    accesses: usize,
    regions: usize,
    open_regions: usize,
    cur: Loc,
}

impl Mark {
    /// Number of edges there were.
    pub fn edges(self) -> usize {
        self.edges
    }
    /// Number of locations there were.
    pub fn locations(self) -> usize {
        self.locations
    }
}

impl Body {
    /// A function of two locations, the end and the start, with nothing between them.
    pub fn new(name: &str, result: Ty, span: Span) -> Body {
        let mut graph = Graph::default();
        let end = graph.add_location(span);
        graph.locations[0].kind = LocationKind::End;
        let cur = graph.add_location(span);
        Body {
            name: name.to_string(),
            graph,
            registers: Vec::new(),
            locals: Vec::new(),
            started: Vec::new(),
            cur,
            span,
            labels: BTreeMap::new(),
            rows: FxHashSet::default(),
            addressed: FxHashSet::default(),
            result,
            markers: Vec::new(),
            open: FxHashSet::default(),
            dead: FxHashSet::default(),
            assumed: FxHashSet::default(),
            end,
            first: cur,
            conversions: Vec::new(),
            sights: Vec::new(),
            regions: Vec::new(),
            open_regions: Vec::new(),
            held: FxHashSet::default(),
            nesting: 0,
            last_arguments: None,
            accesses: Vec::new(),
            blocks: super::blocks::Blocks::default(),
            switched: false,
            return_to: None,
            list: None,
            words: None,
            initial: false,
            lengths: FxHashMap::default(),
        }
    }
    /// A new location of the present statement, without edges.
    pub fn fresh(&mut self) -> Loc {
        self.graph.add_location(self.span)
    }
    /// A new register; the name is for display and may be empty.
    pub fn register(&mut self, name: &str, kind: IntKind) -> Reg {
        self.registers.push(Register { name: name.to_string(), kind });
        Reg(self.registers.len() as u32 - 1)
    }
    /// A new unnamed register.
    pub fn temp(&mut self, kind: IntKind) -> Reg {
        self.register("", kind)
    }
    /// Adds an edge to a new location and goes there.
    pub fn emit(&mut self, op: Op) {
        let to = self.fresh();
        self.edge_to(to, op);
        self.cur = to;
    }
    /// Adds an edge from here.
    pub fn edge_to(&mut self, to: Loc, op: Op) {
        if self.initial && matches!(op, Op::Store(..)) {
            self.graph.locations[self.cur.0 as usize].initial = true;
        }
        self.graph.edges.push(Edge { from: self.cur, to, op, span: self.span });
    }
    /// Goes on at a location.
    pub fn join(&mut self, to: Loc) {
        self.edge_to(to, Op::Skip);
        self.cur = to;
    }
    /// Leaves for a location; what follows is not reached from here.
    pub fn leave(&mut self, to: Loc, op: Op) {
        self.edge_to(to, op);
        self.cur = self.fresh();
    }
    /// Nobody else moves while a thread is here.
    pub fn hold(&mut self) {
        self.graph.locations[self.cur.0 as usize].atomic = true;
    }
    /// Adds an edge and stays atomic after it.
    pub fn emit_held(&mut self, op: Op) {
        self.emit(op);
        self.hold();
    }
    /// What leads to the location never happens: that is assumed.
    pub fn rule_out(&mut self, l: Loc) {
        self.dead.insert(l);
        self.assumed.insert(l);
    }
    /// What runs tell of a location.
    pub fn tell(&mut self, l: Loc, told: Told) {
        self.graph.locations[l.0 as usize].told = told;
    }
    /// Who can't go on from here is in no run of the program.
    pub fn assumes(&mut self) {
        self.graph.locations[self.cur.0 as usize].assumes = true;
    }
    /// A new location that is atomic.
    pub fn fresh_held(&mut self) -> Loc {
        let l = self.fresh();
        self.graph.locations[l.0 as usize].atomic = true;
        l
    }
    /// Begins (+1) or ends (-1) an atomic section.
    pub fn marker(&mut self, change: i32) {
        self.markers.push((self.graph.edges.len(), change));
        self.emit(Op::Skip);
    }
    /// An error location of its own.
    pub fn error(&mut self, what: Violated) -> Loc {
        let l = self.fresh();
        self.graph.locations[l.0 as usize].kind = LocationKind::Error(what);
        l
    }
    /// A location of its own where a bound of the verifier is reached.
    pub fn limit(&mut self, what: impl Into<Limit>) -> Loc {
        let l = self.fresh();
        self.graph.locations[l.0 as usize].kind = LocationKind::Limit(what.into());
        l
    }
    /// Goes to an error location.
    pub fn fail(&mut self, what: Violated) {
        let l = self.error(what);
        self.leave(l, Op::Skip);
    }
    /// Puts a value in a register.
    pub fn assign(&mut self, kind: IntKind, e: Expr) -> Reg {
        let r = self.temp(kind);
        self.emit(Op::Assign(r, e));
        r
    }
    /// Reads one cell into a new register, in one step.
    pub fn load(&mut self, address: Expr, kind: IntKind) -> Expr {
        let r = self.temp(kind);
        self.emit(Op::Load(r, address, kind));
        Expr::Reg(r)
    }
    /// Writes one cell in one step.
    pub fn store(&mut self, address: Expr, value: Expr, kind: IntKind) {
        self.emit(Op::Store(address, value, kind));
    }
    /// Any value of a kind.
    pub fn havoc(&mut self, kind: IntKind, source: InputSource) -> Expr {
        let dst = self.temp(kind);
        self.emit(Op::Havoc { dst, source });
        Expr::Reg(dst)
    }
    /// How far lowering has come, to go back to with [`rewind`](Self::rewind).
    pub fn mark(&self) -> Mark {
        Mark {
            locations: self.graph.locations.len(),
            edges: self.graph.edges.len(),
            registers: self.registers.len(),
            markers: self.markers.len(),
            locals: self.locals.len(),
            conversions: self.conversions.len(),
            sights: self.sights.len(),
            accesses: self.accesses.len(),
            regions: self.regions.len(),
            open_regions: self.open_regions.len(),
            cur: self.cur,
        }
    }
    /// Has anything been done since?
    pub fn moved(&self, m: Mark) -> bool {
        self.graph.edges.len() != m.edges
    }
    /// Forgets all that was done since.
    pub fn rewind(&mut self, m: Mark) {
        self.graph.locations.truncate(m.locations);
        self.graph.edges.truncate(m.edges);
        self.registers.truncate(m.registers);
        self.markers.truncate(m.markers);
        self.locals.truncate(m.locals);
        self.open.retain(|l| (l.0 as usize) < m.locations);
        self.conversions.truncate(m.conversions);
        self.sights.truncate(m.sights);
        self.regions.truncate(m.regions);
        self.open_regions.truncate(m.open_regions);
        self.held.retain(|l| (l.0 as usize) < m.locations);
        self.accesses.truncate(m.accesses);
        self.blocks.rewind(m.locations);
        self.labels.retain(|_, l| (l.at.0 as usize) < m.locations);
        self.labels.values_mut().for_each(|l| l.defined = l.defined.filter(|n| *n <= m.locations));
        self.dead.retain(|l| (l.0 as usize) < m.locations);
        self.assumed.retain(|l| (l.0 as usize) < m.locations);
        self.cur = m.cur;
    }
    /// Operands come now whose order C leaves open; `whole`: one ends before another begins.
    pub fn begin_operands(&mut self, whole: bool) {
        if self.graph.edges.iter().rev().take(8).any(|e| e.from == self.cur) {
            self.emit(Op::Skip);
        }
        let parent = self.open_regions.last().map(|o| (o.region, self.regions[o.region].operands.len()));
        self.regions.push(Region { operands: Vec::new(), parent, whole });
        let (first, edges) = (self.graph.locations.len(), self.graph.edges.len());
        let region = self.regions.len() - 1;
        self.open_regions.push(OpenRegion {
            region,
            first,
            entry: self.cur,
            locations: first,
            edges,
            acting: 0,
        });
    }
    /// An operand was evaluated.
    pub fn end_operand(&mut self) {
        let Some(mut open) = self.open_regions.pop() else { return };
        if self.graph.edges.len() > open.edges {
            let made = |e: &Edge| e.to == self.cur && self.cur.0 as usize + 1 == self.graph.locations.len();
            let edges = &self.graph.edges[open.edges..];
            let local = |op: &Op| matches!(op, Op::Skip | Op::Assign(..) | Op::Havoc { .. });
            open.acting += usize::from(edges.iter().any(|e| !local(&e.op)));
            let fresh = edges.last().is_some_and(made);
            if self.cur == open.entry || (!fresh && edges.iter().any(|e| e.from == self.cur)) {
                self.emit(Op::Skip);
            }
            let own = open.locations as u32..self.graph.locations.len() as u32;
            let operand = Operand { entry: open.entry, exit: self.cur, own: vec![own] };
            self.regions[open.region].operands.push(operand);
        }
        open.entry = self.cur;
        (open.locations, open.edges) = (self.graph.locations.len(), self.graph.edges.len());
        self.open_regions.push(open);
    }
    /// All operands were evaluated.
    pub fn end_operands(&mut self) {
        let Some(open) = self.open_regions.pop() else { return };
        if self.regions.len() == open.region + 1 && open.acting < 2 {
            self.regions.pop();
        }
        if self.open_regions.is_empty() {
            for k in (open.first..self.graph.locations.len()).filter(|k| self.graph.locations[*k].atomic) {
                self.held.insert(Loc(k as u32));
            }
        }
    }
    /// All arguments of a call that is lowered here were evaluated.
    pub fn end_arguments(&mut self) {
        self.end_operands();
        self.last_arguments = Some((self.nesting, self.graph.locations.len()));
    }
    /// What was done since so many locations is one call: nothing else of the expression comes between.
    pub fn one_call(&mut self, locations: usize) {
        let inner = (locations as u32..self.graph.locations.len() as u32).map(Loc);
        let cur = self.cur;
        self.held.extend(inner.filter(|l| *l != cur));
    }
    /// Makes one step of all that was done since, up to calls.
    pub fn one_step(&mut self, m: Mark) {
        for k in m.locations..self.graph.locations.len() {
            let l = Loc(k as u32);
            if l != self.cur
                && !self.open.contains(&l)
                && self.graph.locations[k].kind == LocationKind::Normal
            {
                self.graph.locations[k].atomic = true;
            }
        }
    }
}
