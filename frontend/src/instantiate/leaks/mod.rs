//! Memory that is lost is an error: where the program ends, each block was given back, or a static object leads to it
//! (SV-COMP's *valid-memtrack*). What is lost once stays lost, so the end is where to look.
//!
//! The check is code, put before the ends of `main`: it takes a step for all, and marks what pointers lead to, from the
//! static objects on, until nothing is added. An address inside of a block leads to it, and so does the one behind its
//! end. Locals are gone then. Where a block may still be in the hands of another thread that runs, and where `exit` and the
//! like end the program before its functions return, it is not known whether somebody's local leads to it: that is a
//! limit of ours, unless all blocks were given back.

mod marks;
mod running;

use super::code::{Code, test};
use super::taken;
use marks::Marks;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::{Fact, PointsTo};
use relyant_cfa::{
    Callee, CmpOp, Edge, Expr, FuncId, Function, Graph, IntKind, Loc, LocationKind, Look, Module, ObjId, Op,
    Reg, Shown, Told, Violated,
};
use running::{count_threads, ends_as_thread, last_thread, of_threads};
use std::collections::BTreeSet;

/// Cells that are looked at one by one; more are a loop.
const FEW: usize = 8;
/// Comparisons of a cell with a block that the check may have.
const MOST: usize = 20_000;

/// Blocks that places of one kind make: the objects, how many were used, and which were given back.
pub(super) struct Blocks {
    pub(super) instances: Vec<ObjId>,
    pub(super) used: ObjId,
    pub(super) back: ObjId,
}

/// What the report assumes besides.
pub(super) const ASSUMED: &str = "every run ends: memory that is lost in one that does not is not looked for";

/// A block, and what is known of it.
struct Block {
    object: ObjId,
    used: ObjId,
    back: ObjId,
    index: usize,
    /// Blocks whose addresses it may hold.
    holds: BTreeSet<ObjId>,
    /// A local of another thread may lead to it.
    elsewhere: bool,
    /// Where it is made.
    line: u32,
}

/// Puts the checks into a module in which all blocks have pools.
pub(super) fn insert(module: &mut Module, blocks: &[Blocks], options: &Options) {
    if blocks.is_empty() {
        return;
    }
    module.assumes.push(ASSUMED.into());
    let [main] = module.starts[..] else {
        let starts = module.starts.clone();
        starts
            .into_iter()
            .for_each(|f| limit_at_start(module, f, "leaks are looked for in programs that start with main"));
        return;
    };
    if module.functions.iter().flat_map(|f| &f.graph.edges).any(|e| calls(e, main)) {
        limit_at_start(
            module,
            main,
            "where main is called, it is not known whether memory is lost at its end",
        );
        return;
    }
    let plan = Plan::new(module, blocks);
    plan.show(module);
    let running = count_threads(module, main, options);
    let ends_early = ends_as_thread(module, main);
    if running.is_none() && ends_early {
        limit_at_start(
            module,
            main,
            "where main ends before other threads, it is not known whether memory is lost",
        );
        return;
    }
    let at_exit = plan.at_exit(module);
    let at_end = match plan.size() {
        n if n > MOST => at_exit,
        _ => plan.at_end(module, running),
    };
    for f in 0..module.functions.len() as u32 {
        for i in 0..module.functions[f as usize].graph.edges.len() {
            let check = match &module.functions[f as usize].graph.edges[i].op {
                Op::Return(_) if f == main.0 => at_end,
                Op::Halt if f == main.0 && module.start_made => at_end,
                Op::Halt => at_exit,
                _ => continue,
            };
            let f = &mut module.functions[f as usize];
            match check == at_end {
                true => before(f, i, |code| plan.ask(code, check)),
                false => before(f, i, |code| {
                    code.step(Op::Call { dst: None, callee: Callee::Known(check), args: Vec::new() });
                }),
            }
        }
    }
    // Where main ends as a thread does, the last thread is the end.
    if let Some(running) = running.filter(|_| ends_early) {
        last_thread(module, running, at_end, &plan);
    }
}

fn calls(e: &Edge, f: FuncId) -> bool {
    matches!(&e.op, Op::Call { callee: Callee::Known(g), .. } if *g == f)
}

/// Puts code before an edge.
fn before(f: &mut Function, edge: usize, write: impl FnOnce(&mut Code<'_>)) {
    let Edge { from, span, .. } = f.graph.edges[edge];
    let atomic = f.atomic || f.graph.locations[from.0 as usize].atomic;
    let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: from, span, atomic };
    write(&mut code);
    let at = code.at;
    f.graph.edges[edge].from = at;
}

fn limit_at_start(module: &mut Module, f: FuncId, what: &str) {
    let f = &mut module.functions[f.0 as usize];
    let span = f.span;
    let old = std::mem::replace(&mut f.entry, f.graph.add_location(span));
    let mut code =
        Code { graph: &mut f.graph, registers: &mut f.registers, at: f.entry, span, atomic: false };
    let limit = code.limit(what);
    code.edge(limit, Op::Skip);
    code.edge(old, Op::Skip);
}

/// What the checks look at.
struct Plan {
    blocks: Vec<Block>,
    /// Static objects that may hold addresses of blocks, and of which.
    roots: Vec<(ObjId, BTreeSet<ObjId>)>,
    /// Blocks that an object which each thread has of its own may lead to.
    own: BTreeSet<ObjId>,
}

impl Plan {
    fn new(module: &Module, blocks: &[Blocks]) -> Plan {
        let points_to = PointsTo::of_module(module);
        let heap: BTreeSet<ObjId> = blocks.iter().flat_map(|b| &b.instances).copied().collect();
        let held = |o: ObjId| -> BTreeSet<ObjId> {
            match points_to.is_any(o) {
                true => heap.clone(),
                false => points_to.held_by(o).intersection(&heap).copied().collect(),
            }
        };
        let locals: BTreeSet<ObjId> = module.functions.iter().flat_map(|f| &f.locals).copied().collect();
        let control: BTreeSet<ObjId> = blocks.iter().flat_map(|b| [b.used, b.back]).collect();
        let mortal = |o: &ObjId| locals.contains(o) || module.lifetimes.contains_key(o);
        let (mut roots, mut own) = (Vec::new(), BTreeSet::new());
        for o in (0..module.objects.len() as u32).map(ObjId) {
            if mortal(&o) || control.contains(&o) {
                continue;
            }
            let holds = held(o);
            match module.objects[o.0 as usize].thread_local {
                true => own.extend(holds),
                false if holds.is_empty() => {}
                false => roots.push((o, holds)),
            }
        }
        let mut elsewhere = own.clone();
        for f in of_threads(module) {
            let function = &module.functions[f.0 as usize];
            let registers = 0..function.registers.len() as u32;
            for r in registers.map(|r| Expr::Reg(Reg(r))) {
                match points_to.eval(f.0, &r).contains(&Fact::Anything) {
                    true => elsewhere.extend(&heap),
                    false => elsewhere.extend(points_to.held(f.0, &r)),
                }
            }
        }
        // Locals that have pools are no function's any more.
        let thread_locals =
            (0..module.objects.len() as u32).map(ObjId).filter(|o| mortal(o) && !heap.contains(o));
        if !of_threads(module).is_empty() {
            thread_locals.for_each(|o| elsewhere.extend(held(o)));
            elsewhere.extend(points_to.returned());
        }
        let mut out = Vec::new();
        for b in blocks {
            for (index, object) in b.instances.iter().enumerate() {
                out.push(Block {
                    object: *object,
                    used: b.used,
                    back: b.back,
                    index,
                    holds: held(*object),
                    elsewhere: elsewhere.contains(object),
                    line: module.objects[object.0 as usize].span.line,
                });
            }
        }
        Plan { blocks: out, roots, own }
    }

    /// Runs tell what is made, and what is lost.
    fn show(&self, module: &mut Module) {
        for b in &self.blocks {
            let block = module.objects[b.back.0 as usize].look.block.clone();
            module.objects[b.used.0 as usize].look =
                Look { cells: vec![Shown::Made], block, ..Look::default() };
        }
        for (o, _) in &self.roots {
            module.objects[o.0 as usize].look.lasting = true;
        }
    }

    /// Calls the check, which gives the line where what is lost is made, or 0.
    fn ask(&self, code: &mut Code<'_>, check: FuncId) {
        let line = code.temp(IntKind::Ideal);
        let outer = std::mem::replace(&mut code.atomic, true);
        code.step(Op::Call { dst: Some(line), callee: Callee::Known(check), args: Vec::new() });
        let line = Expr::Reg(line);
        let lines: BTreeSet<u32> = self.blocks.iter().map(|b| b.line).collect();
        for n in lines {
            let lost = code.error(Violated::Leak { line: n });
            code.edge(lost, test(CmpOp::Eq, &line, Expr::Const(i128::from(n))));
            code.step(test(CmpOp::Ne, &line, Expr::Const(i128::from(n))));
        }
        code.atomic = outer;
        code.step(Op::Skip);
    }

    /// Comparisons that the check has.
    fn size(&self) -> usize {
        let roots = self.roots.iter().map(|(_, holds)| FEW * holds.len());
        roots.chain(self.blocks.iter().map(|b| FEW * b.holds.len())).sum()
    }

    /// The check where functions have not returned.
    fn at_exit(&self, module: &mut Module) -> FuncId {
        check_function(module, "leaks at exit", |code, _, _| {
            let left = self.any_left(code);
            let after = code.at;
            code.at = left;
            let what =
                "the program ends before its functions return: whether locals lead to memory is not known";
            let limit = code.limit(what);
            code.edge(limit, Op::Skip);
            code.at = after;
        })
    }

    /// Goes on where no block is left; gives the location where one is.
    fn any_left(&self, code: &mut Code<'_>) -> Loc {
        let left = code.fresh();
        let mut k = 0;
        while let Some(b) = self.blocks.get(k) {
            let pool = self.blocks[k..].iter().take_while(|x| x.used == b.used).count();
            let used = code.load(b.used, 0);
            let next = code.fresh();
            for b in &self.blocks[k..k + pool] {
                let from = code.at;
                code.edge(next, test(CmpOp::Le, &used, Expr::Const(b.index as i128)));
                code.at = from;
                code.step(test(CmpOp::Gt, &used, Expr::Const(b.index as i128)));
                let back = code.load(b.back, b.index);
                code.edge(left, test(CmpOp::Eq, &back, Expr::Const(0)));
                code.step(test(CmpOp::Ne, &back, Expr::Const(0)));
            }
            code.edge(next, Op::Skip);
            code.at = next;
            k += pool;
        }
        left
    }

    /// The check where main has returned, or the last thread has ended.
    fn at_end(&self, module: &mut Module, running: Option<ObjId>) -> FuncId {
        let sizes: Vec<usize> = module.objects.iter().map(|o| o.cells.len()).collect();
        check_function(module, "leaks", |code, result, done| {
            let left = self.any_left(code);
            code.edge(done, Op::Skip);
            code.at = left;
            let marks: Vec<Reg> = self.blocks.iter().map(|_| code.temp(IntKind::Ideal)).collect();
            let marks = Marks { plan: self, marks, changed: code.temp(IntKind::Ideal), sizes };
            marks.marks.iter().for_each(|m| code.step(Op::Assign(*m, Expr::Const(0))));
            for (o, holds) in &self.roots {
                marks.follow(code, *o, holds);
            }
            marks.spread(code);
            self.unmarked(code, &marks, running, result, done);
        })
    }

    /// Blocks that are there and nothing leads to.
    fn unmarked(
        &self,
        code: &mut Code<'_>,
        marks: &Marks<'_>,
        running: Option<ObjId>,
        result: Reg,
        done: Loc,
    ) {
        for (b, mark) in self.blocks.iter().zip(&marks.marks) {
            let next = code.fresh();
            let mark = Expr::Reg(*mark);
            code.edge(next, test(CmpOp::Ne, &mark, Expr::Const(0)));
            code.step(test(CmpOp::Eq, &mark, Expr::Const(0)));
            let used = code.load(b.used, 0);
            code.edge(next, test(CmpOp::Le, &used, Expr::Const(b.index as i128)));
            code.step(test(CmpOp::Gt, &used, Expr::Const(b.index as i128)));
            let back = code.load(b.back, b.index);
            code.edge(next, test(CmpOp::Ne, &back, Expr::Const(0)));
            code.step(test(CmpOp::Eq, &back, Expr::Const(0)));
            let limit = code.limit("other threads that run when the program ends may have memory in hand");
            match running {
                _ if !b.elsewhere => {}
                Some(running) if !self.own.contains(&b.object) => {
                    let n = code.load(running, 0);
                    code.edge(limit, test(CmpOp::Gt, &n, Expr::Const(1)));
                    code.step(test(CmpOp::Le, &n, Expr::Const(1)));
                }
                _ => {
                    code.edge(limit, Op::Skip);
                    code.at = code.fresh();
                }
            }
            code.edge(done, Op::Assign(result, Expr::Const(i128::from(b.line))));
            code.at = next;
        }
    }
}

/// A function that takes one step for all it does; the code is given the register of its result, 0 at first, and the
/// location from which it returns.
fn check_function(module: &mut Module, name: &str, write: impl FnOnce(&mut Code<'_>, Reg, Loc)) -> FuncId {
    let span = module.starts.first().map_or(Span::default(), |f| module.functions[f.0 as usize].span);
    let mut graph = Graph::default();
    let (end, entry) = (graph.add_location(span), graph.add_location(span));
    graph.locations[end.0 as usize].kind = LocationKind::End;
    let mut registers = Vec::new();
    let mut code = Code { graph: &mut graph, registers: &mut registers, at: entry, span, atomic: true };
    let done = code.fresh();
    let result = code.temp(IntKind::Ideal);
    code.step(Op::Assign(result, Expr::Const(0)));
    write(&mut code, result, done);
    code.edge(done, Op::Skip);
    code.at = done;
    code.edge(end, Op::Return(Some(Expr::Reg(result))));
    graph.locations.iter_mut().for_each(|l| l.told = Told::LooksForLeaks);
    module.functions.push(Function {
        name: name.into(),
        params: Vec::new(),
        result: Some(IntKind::Ideal),
        registers,
        locals: Vec::new(),
        entry,
        graph,
        atomic: true,
        span,
    });
    FuncId(module.functions.len() as u32 - 1)
}
