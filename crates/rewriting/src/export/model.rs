//! What of a program a term shows: which cells, where threads rest, whose handles are needed.

use super::ranges::{self, Ranges};
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::{Expr, Loc, LocationKind, ObjId, Op, Owner, Program, Template};
use relyant_interp::candidates::Candidates;
use relyant_interp::live;
use std::collections::BTreeSet;

/// A cell that is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) object: ObjId,
    pub(super) index: usize,
}

/// Where a cell is in a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// An argument of the root.
    Shared(usize),
    /// An argument of the root that says whether a lock is held; each thread says whether it holds it.
    Lock(usize),
    /// An argument of the thread.
    Own(usize),
    /// Nobody looks at it.
    Nowhere,
}

pub(super) struct Model<'p> {
    pub(super) program: &'p Program,
    pub(super) ranges: Ranges,
    pub(super) inputs: Candidates,
    pub(super) shared: Vec<Cell>,
    pub(super) locks: Vec<Cell>,
    pub(super) own: Vec<Vec<Cell>>,
    /// Locks that a template's threads may hold.
    pub(super) holds: Vec<Vec<usize>>,
    /// Live registers by template and location.
    pub(super) live: Vec<Vec<Vec<u32>>>,
    pub(super) rests: Vec<Vec<bool>>,
    pub(super) out: Vec<Vec<Vec<usize>>>,
    /// Templates whose threads' handles somebody keeps.
    pub(super) named: Vec<bool>,
    /// The procedure of each location, by template.
    pub(super) procedures: Vec<Vec<Option<usize>>>,
    /// Some thread rests inside an atomic section.
    pub(super) token: bool,
}

/// Why a program cannot be exported, at a place of it.
pub(super) fn refuse(program: &Program, span: Span, message: String, help: &str) -> Diagnostic {
    Diagnostic::at(span, &program.files, &program.lines, message, help)
}

fn uses_self(e: &Expr) -> bool {
    match e {
        Expr::SelfId => true,
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) => false,
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => uses_self(a),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => uses_self(a) || uses_self(b),
    }
}

impl<'p> Model<'p> {
    pub(super) fn new(program: &'p Program) -> Result<Model<'p>, Diagnostic> {
        let inputs = Candidates::new(program, 0, 0);
        let ranges = Ranges::new(program, &inputs);
        let mut model = Model {
            program,
            inputs,
            shared: Vec::new(),
            locks: Vec::new(),
            own: vec![Vec::new(); program.templates.len()],
            holds: vec![Vec::new(); program.templates.len()],
            live: program.templates.iter().map(live::live_registers).collect(),
            rests: Vec::new(),
            out: program.templates.iter().map(|t| t.graph.out_edges()).collect(),
            named: vec![false; program.templates.len()],
            token: false,
            procedures: program.templates.iter().map(ranges::procedures).collect(),
            ranges,
        };
        model.support()?;
        model.cells()?;
        for (t, template) in program.templates.iter().enumerate() {
            let rests = model.resting(t, template);
            model.token |= rests.iter().zip(&template.graph.locations).any(|(r, l)| *r && l.atomic);
            model.rests.push(rests);
        }
        Ok(model)
    }

    fn support(&mut self) -> Result<(), Diagnostic> {
        let p = self.program;
        if p.max_threads.is_some() {
            let help = "leave --max-threads out: threads are created without bound";
            return Err(refuse(p, Span::default(), "a bound on threads is not rewriting".into(), help));
        }
        for (t, template) in p.templates.iter().enumerate() {
            let entry = template.graph.locations[template.entry.0 as usize].span;
            if template.initial && template.count == relyant_cfa::Count::Unbounded {
                let message = format!("any number of threads run `{}` from the start", template.name);
                return Err(refuse(p, entry, message, "create them in main"));
            }
            if template.procedures.iter().any(|p| !p.objects.is_empty()) {
                let message = "a recursive function has an object of its own".to_string();
                return Err(refuse(p, entry, message, "use plain integer locals whose address is not taken"));
            }
            let bound = template.graph.locations.iter().find(|l| matches!(l.kind, LocationKind::Limit(_)));
            if let Some(l) = bound {
                let message = "a bound on the objects made here is not rewriting".to_string();
                return Err(refuse(p, l.span, message, "make each object once"));
            }
            for e in &template.graph.edges {
                if let Op::Create { handle, template: Some(other), .. } = &e.op
                    && self.live[t][e.to.0 as usize].contains(&handle.0)
                {
                    self.named[*other as usize] = true;
                }
            }
        }
        Ok(())
    }

    /// The cells that an edge's access may mean, in its template.
    pub(super) fn access(&self, t: usize, from: Loc, address: &Expr) -> Vec<(ObjId, usize)> {
        let Some(r) = self.ranges.expr(self.program, t, from, address) else { return Vec::new() };
        let own = |(o, _): &(ObjId, usize)| match self.program.owners[o.0 as usize] {
            Owner::Shared => true,
            Owner::Template(u) => u as usize == t,
        };
        ranges::cells_in(self.program, r, ranges::base(address)).into_iter().filter(own).collect()
    }

    fn cells(&mut self) -> Result<(), Diagnostic> {
        let p = self.program;
        let (mut loaded, mut locks) = (BTreeSet::new(), BTreeSet::new());
        let mut holds = vec![BTreeSet::new(); p.templates.len()];
        for (t, template) in p.templates.iter().enumerate() {
            for e in &template.graph.edges {
                match &e.op {
                    Op::Load(_, a, _) => loaded.extend(self.access(t, e.from, a)),
                    Op::Store(a, x, _) if uses_self(x) => {
                        let cells = self.access(t, e.from, a);
                        holds[t].extend(cells.iter().copied());
                        locks.extend(cells);
                    }
                    _ => {}
                }
            }
        }
        for (o, k) in loaded {
            let cell = Cell { object: o, index: k };
            let object = &p.objects[o.0 as usize];
            let open = object.init[k].is_none();
            match p.owners[o.0 as usize] {
                Owner::Shared => {
                    if open {
                        let message = format!("`{}` starts with any value", object.name);
                        return Err(refuse(p, object.span, message, "give it a value"));
                    }
                    if locks.contains(&(o, k)) {
                        if object.init[k] != Some(0) {
                            let message = format!("`{}` is held at the start", object.name);
                            return Err(refuse(p, object.span, message, "begin with a free lock"));
                        }
                        for (held, holds) in self.holds.iter_mut().zip(&holds) {
                            if holds.contains(&(o, k)) {
                                held.push(self.locks.len());
                            }
                        }
                        self.locks.push(cell);
                    } else {
                        self.shared.push(cell);
                    }
                }
                Owner::Template(t) => {
                    if locks.contains(&(o, k)) {
                        let message = format!("`{}` is a lock of one thread", object.name);
                        return Err(refuse(p, object.span, message, "make it a global"));
                    }
                    if open && self.read_first(t as usize, o, k) {
                        let message = format!("`{}` may be read before it is written", object.name);
                        return Err(refuse(p, object.span, message, "give it a value"));
                    }
                    self.own[t as usize].push(cell);
                }
            }
        }
        Ok(())
    }

    /// May a thread read a cell of its own before it has written it?
    fn read_first(&self, t: usize, o: ObjId, k: usize) -> bool {
        let template = &self.program.templates[t];
        if !template.procedures.is_empty() {
            return true;
        }
        let mut seen = vec![false; template.graph.locations.len()];
        let mut todo = vec![template.entry];
        while let Some(l) = todo.pop() {
            if std::mem::replace(&mut seen[l.0 as usize], true) {
                continue;
            }
            for &i in &self.out[t][l.0 as usize] {
                let e = &template.graph.edges[i];
                match &e.op {
                    Op::Load(_, a, _) if self.access(t, l, a).contains(&(o, k)) => return true,
                    Op::Store(a, _, _) if self.access(t, l, a) == [(o, k)] => {}
                    _ => todo.push(e.to),
                }
            }
        }
        false
    }

    pub(super) fn place(&self, t: usize, o: ObjId, k: usize) -> Place {
        let at = |list: &[Cell]| list.iter().position(|c| c.object == o && c.index == k);
        if let Some(i) = at(&self.shared) {
            Place::Shared(i)
        } else if let Some(i) = at(&self.locks) {
            Place::Lock(i)
        } else {
            at(&self.own[t]).map_or(Place::Nowhere, Place::Own)
        }
    }

    /// Does an edge do nothing that others see?
    pub(super) fn is_local(&self, t: usize, e: &relyant_cfa::Edge) -> bool {
        match &e.op {
            Op::Skip
            | Op::Assign(..)
            | Op::Assume(_)
            | Op::Havoc { .. }
            | Op::Call { .. }
            | Op::Return(_) => true,
            Op::Load(_, a, _) | Op::Store(a, _, _) => self
                .access(t, e.from, a)
                .iter()
                .all(|(o, k)| matches!(self.place(t, *o, *k), Place::Own(_) | Place::Nowhere)),
            // nobody waits for the end of a thread without a name
            Op::ThreadExit(_) => !self.named[t],
            Op::Create { .. } | Op::Join { .. } | Op::Halt => false,
        }
    }

    /// Where a thread rests: before a step that others see, at ends of procedures' calls, once in each cycle.
    fn resting(&self, t: usize, template: &Template) -> Vec<bool> {
        let g = &template.graph;
        let mut rests = vec![false; g.locations.len()];
        for (i, l) in g.locations.iter().enumerate() {
            let label = self.program.exclusive.as_ref().is_some_and(|x| l.labels.contains(x));
            rests[i] = label
                || matches!(l.kind, LocationKind::Error(_))
                || !l.atomic && l.kind == LocationKind::Normal && self.out[t][i].is_empty();
            if !l.atomic {
                rests[i] |= self.out[t][i].iter().any(|e| !self.is_local(t, &g.edges[*e]));
                rests[i] &= l.kind != LocationKind::End;
            }
        }
        rests[template.entry.0 as usize] = true;
        for e in &g.edges {
            if let Op::Call { .. } = e.op {
                rests[e.to.0 as usize] = true;
            }
        }
        template.procedures.iter().for_each(|p| rests[p.entry.0 as usize] = true);
        // one location of each cycle that is left
        let mut state = vec![0u8; g.locations.len()];
        for root in 0..g.locations.len() {
            let mut path = vec![(root, 0)];
            if state[root] != 0 {
                continue;
            }
            state[root] = 1;
            while let Some((v, k)) = path.pop() {
                let next =
                    if rests[v] { None } else { self.out[t][v].get(k).map(|e| g.edges[*e].to.0 as usize) };
                let Some(w) = next else {
                    state[v] = 2;
                    continue;
                };
                path.push((v, k + 1));
                if rests[w] {
                    continue;
                }
                match state[w] {
                    0 => {
                        state[w] = 1;
                        path.push((w, 0));
                    }
                    1 => rests[w] = true,
                    _ => {}
                }
            }
        }
        rests
    }
}
