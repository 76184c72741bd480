//! Leaves out what no property can depend on: objects that are only written, values that only go there, and branches
//! between which nothing else happens.
//!
//! Backward slicing (Weiser, "Program slicing", 1984) by dependence, from what can stop, start or fail a thread. Two
//! things are kept besides: steps that may be undefined, as runs end there, and loops, which may not end. So the
//! program does what it did, an error, a deadlock or a wait without end included, and each step that is left has its
//! place in the source. The cone is the least one: all is taken for irrelevant until something needs it, so that a
//! counter read only to be increased goes too.

use super::fold::may_be_undefined;
use super::simplify::{self, in_bounds};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::sparse::Row;
use relyant_cfa::walk;
use relyant_cfa::{
    BinOp, Edge, Expr, Graph, IntKind, Loc, LocationKind, ObjId, Op, Order, Program, Reg, Template,
};

/// Locations between a branch and where its ways meet, at most.
const REGION: usize = 256;
/// Steps of a counter, either way, and where it starts: it overflows an `int` only after some 2^26 steps, and no run
/// that is ever shown has as many.
const STEP: i128 = 16;

/// Leaves out of a program what no property depends on.
pub fn slice(program: &mut Program) {
    let points_to = PointsTo::new(program);
    let mut s = Slice::new(program, &points_to);
    s.run();
    let Slice { ways, needed, inert, relevant, .. } = s;
    let drops: Vec<Vec<bool>> = needed.iter().map(|n| n.iter().map(|k| !k).collect()).collect();
    let objects = std::mem::take(&mut program.objects);
    let exclusive = program.exclusive.clone();
    let context = simplify::Context {
        exclusive: exclusive.as_deref(),
        signed_wraps: program.signed_wraps,
        objects: &objects,
    };
    for (t, template) in program.templates.iter_mut().enumerate() {
        let any = drops[t].iter().zip(&template.graph.edges).any(|(d, e)| *d && e.op != Op::Skip);
        if !any || !template.procedures.is_empty() {
            continue;
        }
        let Graph { locations, edges } = &mut template.graph;
        for (e, drop) in edges.iter_mut().zip(&drops[t]) {
            if *drop && e.op != Op::Skip {
                e.op = Op::Skip;
                locations[e.to.0 as usize].order = Order::Direct;
            }
        }
        // What is left out does not wait in a buffer, either.
        for l in locations {
            if matches!(&l.order, Order::Appended(a, _) if objects_in(a).iter().any(|o| !relevant[o.0 as usize]))
            {
                l.order = Order::Direct;
            }
        }
        // One way past a branch is enough.
        let mut gone = vec![false; template.graph.edges.len()];
        for (l, meet) in inert[t].iter().enumerate() {
            let (Some(meet), [first, rest @ ..]) = (meet, &ways[t][l][..]) else { continue };
            template.graph.edges[*first].to = *meet;
            rest.iter().for_each(|e| gone[*e] = true);
        }
        let mut gone = gone.into_iter();
        template.graph.edges.retain(|_| !gone.next().unwrap_or(false));
        simplify::simplify_template(template, &context);
    }
    program.objects = objects;
    // Loads that are left for where they may not be allowed read what no longer matters: no input.
    for (o, _) in program.objects.iter_mut().zip(&relevant).filter(|(_, relevant)| !**relevant) {
        o.init.iter_mut().for_each(|cell| *cell = Some(cell.unwrap_or(0)));
    }
    forget_objects(program);
    debug_assert_eq!(program.validate(), Ok(()));
}

struct Slice<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    /// Edges out of each location, by template.
    ways: Vec<Vec<Vec<usize>>>,
    /// Edges into each location, by template.
    into: Vec<Vec<Vec<usize>>>,
    /// Where the ways meet again, of branches that decide nothing.
    inert: Vec<Vec<Option<Loc>>>,
    /// Is the edge kept?
    needed: Vec<Vec<bool>>,
    /// Live registers at each location, by template.
    live: Vec<Vec<Row>>,
    relevant: Vec<bool>,
    /// Stores of a counter: they do not overflow.
    counts: Vec<Vec<bool>>,
}

impl<'p> Slice<'p> {
    fn new(program: &'p Program, points_to: &'p PointsTo) -> Slice<'p> {
        let templates = &program.templates;
        let ways: Vec<Vec<Vec<usize>>> = templates.iter().map(|t| t.graph.out_edges()).collect();
        let mut s = Slice {
            inert: templates.iter().map(|t| vec![None; t.graph.locations.len()]).collect(),
            needed: templates.iter().map(|t| vec![false; t.graph.edges.len()]).collect(),
            into: templates.iter().map(|t| t.graph.into_edges()).collect(),
            live: templates.iter().map(|t| vec![Row::default(); t.graph.locations.len()]).collect(),
            relevant: vec![false; program.objects.len()],
            counts: templates.iter().map(|t| vec![false; t.graph.edges.len()]).collect(),
            ways,
            program,
            points_to,
        };
        s.find_counters();
        for t in 0..templates.len() {
            if s.is_whole(t) {
                s.needed[t].fill(true);
            } else {
                s.find_branches(t);
            }
        }
        s
    }

    /// Is nothing left out of a template?
    fn is_whole(&self, t: usize) -> bool {
        !self.program.templates[t].procedures.is_empty()
    }

    /// Grows what is needed until nothing more is.
    fn run(&mut self) {
        loop {
            let mut changed = false;
            for t in 0..self.program.templates.len() {
                changed |= self.grow_live(t);
                changed |= self.grow_objects(t);
                changed |= self.shrink_branches(t);
            }
            if !changed {
                return;
            }
        }
    }

    fn is_live(&self, t: usize, l: Loc, r: Reg) -> bool {
        self.live[t][l.0 as usize].has(r.0)
    }

    fn undefined(&self, e: &Expr) -> bool {
        may_be_undefined(e, self.program.signed_wraps)
    }

    /// Does anything depend on an edge, as far as is known?
    fn needs(&self, t: usize, i: usize) -> bool {
        let e = &self.program.templates[t].graph.edges[i];
        let objects = &self.program.objects;
        match &e.op {
            Op::Skip => false,
            Op::Assign(r, x) => self.is_live(t, e.to, *r) || self.undefined(x),
            Op::Havoc { dst, .. } => self.is_live(t, e.to, *dst),
            Op::Load(r, a, _) => self.is_live(t, e.to, *r) || !in_bounds(a, objects),
            Op::Store(a, v, _) => match in_object(a) {
                Some(o) if in_bounds(a, objects) => {
                    self.relevant[o.0 as usize] || self.undefined(v) && !self.counts[t][i]
                }
                _ => true,
            },
            Op::Assume(_) => self.inert[t][e.from.0 as usize].is_none(),
            _ => true,
        }
    }

    /// Live registers: those that needed steps read.
    fn grow_live(&mut self, t: usize) -> bool {
        let program = self.program;
        let graph = &program.templates[t].graph;
        let mut any = false;
        let mut queued = vec![true; graph.edges.len()];
        let mut work: Vec<usize> = (0..graph.edges.len()).collect();
        let mut found = Vec::new();
        while let Some(i) = work.pop() {
            queued[i] = false;
            let e = &graph.edges[i];
            let needed = self.needed[t][i] || self.needs(t, i);
            any |= !std::mem::replace(&mut self.needed[t][i], needed) && needed;
            let mut row = self.live[t][e.to.0 as usize].clone();
            if let Some(r) = walk::writes(&e.op) {
                row.remove(r.0);
            }
            if needed {
                found.clear();
                walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
                found.iter().for_each(|r: &Reg| row.insert(r.0));
            }
            if self.live[t][e.from.0 as usize].extend(&row) {
                any = true;
                for &p in &self.into[t][e.from.0 as usize] {
                    if !std::mem::replace(&mut queued[p], true) {
                        work.push(p);
                    }
                }
            }
        }
        any
    }

    /// Objects that needed loads read.
    fn grow_objects(&mut self, t: usize) -> bool {
        let program = self.program;
        let whole = self.is_whole(t);
        let mut any = false;
        for (i, e) in program.templates[t].graph.edges.iter().enumerate() {
            let Op::Load(r, a, _) = &e.op else { continue };
            if !self.needed[t][i] || !whole && !self.is_live(t, e.to, *r) {
                continue;
            }
            match (in_object(a), self.points_to.targets(t as u32, a)) {
                (Some(o), _) if in_bounds(a, &program.objects) => {
                    any |= !std::mem::replace(&mut self.relevant[o.0 as usize], true);
                }
                (_, Targets::Objects(list)) => {
                    for (o, _) in list {
                        any |= !std::mem::replace(&mut self.relevant[o.0 as usize], true);
                    }
                }
                (_, Targets::Unknown) => {
                    any |= self.relevant.iter().any(|r| !r);
                    self.relevant.fill(true);
                }
            }
        }
        any
    }

    /// Branches that a needed step hangs on.
    fn shrink_branches(&mut self, t: usize) -> bool {
        let mut any = false;
        for l in 0..self.inert[t].len() {
            let Some(meet) = self.inert[t][l] else { continue };
            let graph = &self.program.templates[t].graph;
            let region = region(graph, &self.ways[t], Loc(l as u32), meet).unwrap_or_default();
            let needed = |l: &Loc| self.ways[t][l.0 as usize].iter().any(|i| self.needed[t][*i]);
            if region.iter().any(needed) {
                self.inert[t][l] = None;
                any = true;
            }
        }
        any
    }

    /// Branches between whose ways there may turn out to be nothing.
    fn find_branches(&mut self, t: usize) {
        let program = self.program;
        let graph = &program.templates[t].graph;
        let meets = meets(graph, &self.ways[t]);
        let watched = |l: &Loc| {
            let labels = &graph.locations[l.0 as usize].labels;
            program.exclusive.as_ref().is_some_and(|x| labels.contains(x))
        };
        for l in (0..graph.locations.len() as u32).map(Loc) {
            let out: Vec<&Edge> = self.ways[t][l.0 as usize].iter().map(|i| &graph.edges[*i]).collect();
            if out.len() < 2 || !self.is_total(&out) {
                continue;
            }
            let Some(meet) = meets[l.0 as usize] else { continue };
            let Some(region) = region(graph, &self.ways[t], l, meet) else { continue };
            let fine = |m: &Loc| {
                let out: Vec<&Edge> = self.ways[t][m.0 as usize].iter().map(|i| &graph.edges[*i]).collect();
                self.is_total(&out) && !watched(m)
            };
            // Nobody else may come to move, and then no more: there is a place for others on the way.
            let atomic = |l: &Loc| graph.locations[l.0 as usize].atomic;
            let place = !atomic(&l) || !atomic(&meet) || region.iter().all(atomic);
            if place && region.iter().all(fine) {
                self.inert[t][l.0 as usize] = Some(meet);
            }
        }
    }

    /// Can a thread always take one of these edges, by itself?
    fn is_total(&self, out: &[&Edge]) -> bool {
        let conditions: Vec<&Expr> =
            out.iter().filter_map(|e| if let Op::Assume(x) = &e.op { Some(x) } else { None }).collect();
        let defined = conditions.iter().all(|x| !self.undefined(x));
        let simple = out.iter().all(|e| {
            matches!(
                e.op,
                Op::Skip | Op::Assign(..) | Op::Havoc { .. } | Op::Load(..) | Op::Store(..) | Op::Assume(_)
            )
        });
        let covers = match conditions[..] {
            [] => !out.is_empty(),
            [a, b] if out.len() == 2 => a.clone().is_false() == *b || b.clone().is_false() == *a,
            _ => out.len() > conditions.len(),
        };
        defined && simple && covers
    }

    /// Cells that are only set to small constants and stepped by small constants.
    fn find_counters(&mut self) {
        let program = self.program;
        let mut counter: Vec<bool> = program
            .objects
            .iter()
            .map(|o| o.init.iter().all(|v| v.is_some_and(|v| v.abs() <= STEP)))
            .collect();
        let mut stores = Vec::new();
        for (t, template) in program.templates.iter().enumerate() {
            for (i, e) in template.graph.edges.iter().enumerate() {
                let Op::Store(a, v, _) = &e.op else { continue };
                match in_object(a).filter(|_| in_bounds(a, &program.objects)) {
                    Some(o) if steps(template, (&self.ways[t], &self.into[t]), e, a, v) => {
                        stores.push((t, i, o))
                    }
                    Some(o) => counter[o.0 as usize] = false,
                    None => match self.points_to.targets(t as u32, a) {
                        Targets::Objects(list) => {
                            list.iter().for_each(|(o, _)| counter[o.0 as usize] = false)
                        }
                        Targets::Unknown => return,
                    },
                }
            }
        }
        for (t, i, o) in stores {
            self.counts[t][i] = counter[o.0 as usize];
        }
    }
}

/// Does a store set a cell to a small constant, or to what was just loaded from it and a small step?
fn steps(
    template: &Template,
    (ways, into): (&[Vec<usize>], &[Vec<usize>]),
    store: &Edge,
    a: &Expr,
    v: &Expr,
) -> bool {
    let small = |e: &Expr| matches!(e, Expr::Const(c) if c.abs() <= STEP);
    let Expr::Binary(BinOp::Add | BinOp::Sub, r, c, kind) = converted(v) else { return small(v) };
    let &Expr::Reg(r) = converted(r) else { return false };
    if !small(c) || IntKind::max(*kind).is_some_and(|m| m < i128::from(i32::MAX)) {
        return false;
    }
    // The load is the only way here, and the step before.
    let mut at = store.from;
    for _ in 0..3 {
        let [i] = into[at.0 as usize][..] else { return false };
        let e = &template.graph.edges[i];
        if ways[e.from.0 as usize].len() != 1 || at == template.entry {
            return false;
        }
        match &e.op {
            Op::Load(d, from, _) if *d == r => return from == a,
            op if walk::writes(op) == Some(r) => return false,
            _ => at = e.from,
        }
    }
    false
}

/// What is converted, if it is.
fn converted(mut e: &Expr) -> &Expr {
    while let Expr::Cast(a, IntKind::Machine { .. }) = e {
        e = a;
    }
    e
}

/// The object at whose fixed cell an address is.
fn in_object(a: &Expr) -> Option<ObjId> {
    match a {
        Expr::Addr(o) => Some(*o),
        Expr::Binary(BinOp::Add, o, k, _) => match (&**o, &**k) {
            (Expr::Addr(o), Expr::Const(_)) => Some(*o),
            _ => None,
        },
        _ => None,
    }
}

/// The locations from `l` on before `meet`, if all ways lead there without going round.
fn region(graph: &Graph, ways: &[Vec<usize>], l: Loc, meet: Loc) -> Option<Vec<Loc>> {
    let mut out: Vec<Loc> = Vec::new();
    // Locations on the way, and those done with.
    let mut open: Vec<(Loc, usize)> = vec![(l, 0)];
    let mut on_path = std::collections::BTreeSet::from([l]);
    let mut done = std::collections::BTreeSet::new();
    while let Some((at, k)) = open.last_mut() {
        let Some(i) = ways[at.0 as usize].get(*k) else {
            if ways[at.0 as usize].is_empty() {
                return None;
            }
            out.push(*at);
            on_path.remove(at);
            done.insert(*at);
            open.pop();
            continue;
        };
        *k += 1;
        let to = graph.edges[*i].to;
        if to == meet || done.contains(&to) {
            continue;
        }
        if !on_path.insert(to) || done.len() + on_path.len() > REGION {
            return None;
        }
        open.push((to, 0));
    }
    Some(out)
}

/// The nearest location that each one's ways all pass: the immediate dominator in the graph turned round.
fn meets(graph: &Graph, ways: &[Vec<usize>]) -> Vec<Option<Loc>> {
    let n = graph.locations.len();
    let node = NodeIndex::new;
    let mut back = DiGraph::<(), ()>::with_capacity(n + 1, graph.edges.len());
    (0..=n).for_each(|_| {
        back.add_node(());
    });
    for (l, out) in ways.iter().enumerate() {
        if out.is_empty() || graph.locations[l].kind != LocationKind::Normal {
            // `n` stands for the one exit behind them all.
            back.add_edge(node(n), node(l), ());
            continue;
        }
        for i in out {
            back.add_edge(node(graph.edges[*i].to.0 as usize), node(l), ());
        }
    }
    let meets = simple_fast(&back, node(n));
    let meet = |l: usize| meets.immediate_dominator(node(l)).map(NodeIndex::index).filter(|m| *m < n);
    (0..n).map(|l| meet(l).map(|m| Loc(m as u32))).collect()
}

/// Objects that no step names go.
fn forget_objects(program: &mut Program) {
    let mut used = vec![false; program.objects.len()];
    for t in &program.templates {
        for e in &t.graph.edges {
            let objects = walk::reads(&e.op).into_iter().flat_map(objects_in);
            objects.for_each(|o| used[o.0 as usize] = true);
        }
        t.procedures.iter().flat_map(|p| &p.objects).for_each(|o| used[o.0 as usize] = true);
    }
    if used.iter().all(|u| *u) {
        return;
    }
    let mut number = Vec::with_capacity(used.len());
    let mut count = 0;
    for u in &used {
        number.push(ObjId(count));
        count += u32::from(*u);
    }
    let moved = |o: ObjId| number[o.0 as usize];
    let mut expr = |x: &Expr| {
        walk::map_leaves(x, &mut |leaf| {
            if let Expr::Addr(o) = leaf { Expr::Addr(moved(*o)) } else { leaf.clone() }
        })
    };
    for t in &mut program.templates {
        for e in &mut t.graph.edges {
            e.op = walk::map_op(&e.op, &mut expr, &|r| r);
        }
        for l in &mut t.graph.locations {
            l.order = l.order.map(&mut |x| objects_in(x).iter().all(|o| used[o.0 as usize]).then(|| expr(x)));
        }
        t.procedures.iter_mut().flat_map(|p| &mut p.objects).for_each(|o| *o = moved(*o));
    }
    for c in program.chosen.iter_mut().flatten() {
        for o in [&mut c.made, &mut c.argument, &mut c.twice] {
            *o = o.filter(|o| used[o.0 as usize]).map(moved);
        }
    }
    keep(&mut program.objects, &used);
    keep(&mut program.owners, &used);
    keep(&mut program.bases, &used);
}

/// The objects that an expression names.
fn objects_in(e: &Expr) -> Vec<ObjId> {
    let mut found = Vec::new();
    walk::visit(e, &mut |x| {
        if let Expr::Addr(o) = x {
            found.push(*o);
        }
    });
    found
}

fn keep<T>(list: &mut Vec<T>, used: &[bool]) {
    let mut used = used.iter();
    list.retain(|_| used.next().copied().unwrap_or(false));
}
