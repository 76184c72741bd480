//! One thread chosen of many: a template of any number of threads is split into one thread and all others.
//!
//! Where a template `T` has any number of threads, each place that creates one may instead create the *chosen* thread, of
//! a template of its own that does the same, once in a run. Which thread that is the run chooses, so that each thread is
//! the chosen one in some run. Where threads get different arguments the run also chooses, at its start, the argument of
//! the chosen thread (a prophecy):
//!
//! ```text
//! create T(x)   becomes   x = chosen: (not made yet) create T#(x), or: twice := 1; create T(x)
//!                         x ≠ chosen: create T(x)
//! ```
//!
//! Threads of `T#` have the argument `chosen`, those of `T` another one, unless it was given twice. So a proof has one thread
//! with its own argument, handle and end, beside which all others only disturb: "no two threads have the same argument" is
//! `twice = 0`, an assertion about the loop that creates them, and to wait for a thread is to wait for this one.
//! (Skolem constants for threads, as the tracked index is one for arrays; the argument is a prophecy of Abadi and Lamport, 1991.)
//!
//! What any thread may do wrong alone the chosen one does as well: others have no errors but races, of which it takes two.
//! The one that waits at its access is the chosen one, or one of a template of one thread; so the others need not wait. And they need
//! not find anybody but the chosen thread of their own template waiting (a cell says that it is the one that waits), as for anybody
//! else it is they who may be chosen. A run of the program with an error is one of the result where the thread that fails or waits is
//! chosen, of two of one template the one that waits, of two templates one each; and the waits of all others are left out: they change
//! nothing but the cells that say who waits.

use super::code::{Code, test};
use super::inline::Body;
use super::memory::Memory;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::{
    ChosenThread, CmpOp, Edge, Expr, Graph, IntKind, LocationKind, Module, ObjId, Object, ObjectKind, Op,
    Template, Violated,
};

/// Name of the cell that says whether a thread's watch lingers after its access, where one may.
pub(crate) const LINGERS: &str = "(lingers)";

/// A chosen thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chosen {
    /// Its template.
    pub(super) template: u32,
    /// It was made.
    made: ObjId,
    /// Its argument, where threads have different ones.
    argument: Option<Argument>,
}

/// The argument of a chosen thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Argument {
    /// Holds it from the start.
    value: ObjId,
    /// Another thread may have it, too.
    twice: ObjId,
}

/// Is a property of this program told by one thread, or by one that waits and one that comes?
pub(super) fn is_possible(module: &Module, options: &Options) -> bool {
    let lingers = module.objects.iter().any(|o| o.synthetic && o.name == LINGERS);
    !options.deadlock && options.exclusive.is_none() && options.max_threads.is_none() && !lingers
}

impl Chosen {
    /// Of threads with these names, in a new template; `differ`: their arguments may.
    pub(super) fn new(memory: &mut Memory, template: u32, name: &str, differ: bool) -> Chosen {
        let mut cell = |what: &str, start: Option<i128>| {
            memory.global(Object::synthetic(
                format!("{what}({name}, {template})"),
                IntKind::Ideal,
                start,
                Span::default(),
            ))
        };
        let made = cell("made", Some(0));
        let argument =
            differ.then(|| Argument { value: cell("chosen", None), twice: cell("twice", Some(0)) });
        Chosen { template, made, argument }
    }

    /// What the program says of it.
    pub(super) fn thread(&self, others: u32) -> ChosenThread {
        ChosenThread {
            template: self.template,
            others,
            made: Some(self.made),
            argument: self.argument.map(|a| a.value),
            twice: self.argument.map(|a| a.twice),
        }
    }

    /// Makes an edge that creates a thread create the chosen one, or another one.
    pub(super) fn split(&self, body: &mut Body, edge: usize) {
        let e = body.graph.edges[edge].clone();
        let Op::Create { handle, routine, arg, template } = e.op else { return };
        let create = |template| Op::Create { handle, routine: routine.clone(), arg: arg.clone(), template };
        let mut code = Code {
            graph: &mut body.graph,
            registers: &mut body.registers,
            at: e.from,
            span: e.span,
            atomic: true,
        };
        // The edge itself becomes the first load.
        let made = code.temp(IntKind::Ideal);
        let at = code.fresh();
        code.graph.edges[edge].op = Op::Load(made, Expr::Addr(self.made), IntKind::Ideal);
        code.graph.edges[edge].to = at;
        code.at = at;
        if let Some(a) = self.argument {
            let chosen = code.load(a.value, 0);
            let given = arg.clone().unwrap_or(Expr::Const(0));
            let here = code.at;
            code.step(test(CmpOp::Ne, &given, chosen.clone()));
            code.edge(e.to, create(template));
            code.at = here;
            code.step(test(CmpOp::Eq, &given, chosen));
        }
        let here = code.at;
        code.step(test(CmpOp::Eq, &Expr::Reg(made), Expr::Const(0)));
        code.step(Op::Store(Expr::Addr(self.made), Expr::Const(1), IntKind::Ideal));
        code.edge(e.to, create(Some(self.template)));
        code.at = here;
        if let Some(a) = self.argument {
            code.step(Op::Store(Expr::Addr(a.twice), Expr::Const(1), IntKind::Ideal));
        }
        code.edge(e.to, create(template));
    }

    /// What is known of a thread's argument, at its start: it is chosen itself, or it is not.
    pub(super) fn begin(&self, body: &mut Body, itself: bool) {
        let (Some(a), Some(&param)) = (self.argument, body.params.first()) else { return };
        let (entry, param) = (body.entry, Expr::Reg(param));
        let span = body.graph.locations[entry.0 as usize].span;
        body.entry = body.graph.add_location(span);
        let mut code = Code {
            graph: &mut body.graph,
            registers: &mut body.registers,
            at: body.entry,
            span,
            atomic: true,
        };
        let chosen = code.load(a.value, 0);
        if itself {
            code.edge(entry, test(CmpOp::Eq, &param, chosen));
            return;
        }
        let twice = code.load(a.twice, 0);
        code.edge(entry, test(CmpOp::Ne, &param, chosen));
        code.edge(entry, test(CmpOp::Ne, &twice, Expr::Const(0)));
    }
}

/// Takes from a template what its chosen thread does: errors of a thread alone, waiting at accesses, and races with all others.
pub(super) fn leave(templates: &mut [Template], memory: &mut Memory, template: u32, chosen: u32) {
    let objects = &memory.objects;
    let watched =
        |o: ObjId| matches!(objects[o.0 as usize].kind, ObjectKind::WatchedWrite | ObjectKind::WatchedRead);
    let watches = |e: &Edge| match &e.op {
        Op::Store(Expr::Addr(o), v, _) if watched(*o) => Some(*v != Expr::Const(0)),
        _ => None,
    };
    let graph = &mut templates[template as usize].graph;
    let fails: Vec<bool> = graph
        .locations
        .iter()
        .map(|l| match &l.kind {
            LocationKind::Error(Violated::Race(_)) | LocationKind::Normal | LocationKind::End => false,
            LocationKind::Error(_) | LocationKind::Limit(_) => true,
        })
        .collect();
    graph.edges.retain(|e| watches(e) != Some(true) && !fails[e.to.0 as usize]);
    let races = |graph: &Graph, e: &Edge| {
        matches!(graph.locations[e.to.0 as usize].kind, LocationKind::Error(Violated::Race(_)))
    };
    let meets: Vec<usize> = (0..graph.edges.len()).filter(|k| races(graph, &graph.edges[*k])).collect();
    let waits: Vec<(usize, bool)> = templates[chosen as usize]
        .graph
        .edges
        .iter()
        .enumerate()
        .filter_map(|(k, e)| Some((k, watches(e)?)))
        .collect();
    if meets.is_empty() {
        return;
    }
    let name = format!("waits({})", templates[chosen as usize].name);
    let cell = memory.global(Object::synthetic(name, IntKind::Ideal, Some(0), Span::default()));
    let mut before = |t: u32, edge: usize, steps: &dyn Fn(&mut Code<'_>)| {
        let Template { graph, registers, .. } = &mut templates[t as usize];
        let Edge { from, span, .. } = graph.edges[edge];
        let mut code = Code { graph, registers, at: from, span, atomic: true };
        steps(&mut code);
        let at = code.at;
        graph.edges[edge].from = at;
    };
    for (edge, here) in waits {
        before(chosen, edge, &|code| {
            code.step(Op::Store(Expr::Addr(cell), Expr::Const(i128::from(here)), IntKind::Ideal));
        });
    }
    for edge in meets {
        before(template, edge, &|code| {
            let waits = code.load(cell, 0);
            code.step(test(CmpOp::Ne, &waits, Expr::Const(0)));
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::c::load_text;
    use crate::instantiate::instantiate_chosen;
    use relyant_cfa::options::{Options, Property};
    use relyant_cfa::{ChosenThread, Count, LocationKind, ObjectKind, Op, Program, Template};

    const HEAD: &str = "typedef unsigned long pthread_t; int __VERIFIER_nondet_int(void);
        void __assert_fail(const char *, const char *, unsigned, const char *);
        int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
        int pthread_join(pthread_t, void **); int x, n;";

    fn chosen(text: &str, options: &Options) -> Option<Program> {
        let module = load_text("t.i", &format!("{HEAD}{text}"), options).unwrap();
        instantiate_chosen(&module, options).unwrap()
    }

    fn waits(p: &Program, t: &Template) -> bool {
        let watch = |o: u32| p.objects[o as usize].kind == ObjectKind::WatchedWrite;
        t.graph.edges.iter().any(|e| {
            matches!(&e.op, Op::Store(relyant_cfa::Expr::Addr(o), v, _)
                if watch(o.0) && *v != relyant_cfa::Expr::Const(0))
        })
    }

    #[test]
    fn one_of_many_waits_and_fails_for_all() {
        let text =
            "void *f(void *a) { x = (int)(long)a; if (x == 7) __assert_fail(\"\", \"\", 1, \"\"); return 0; }
            int main(void) { pthread_t t; n = __VERIFIER_nondet_int();
              for (long k = 0; k < n; k++) pthread_create(&t, 0, f, (void *)k); return 0; }";
        let race = Options { property: Property::NoDataRace, ..Options::default() };
        let p = chosen(text, &race).unwrap();
        let counts: Vec<Count> = p.templates.iter().map(|t| t.count).collect();
        assert_eq!(counts, [Count::AtMost(1), Count::Unbounded, Count::AtMost(1)]);
        let one = p.chosen.as_deref().unwrap();
        assert!(matches!(one, [ChosenThread { template: 2, others: 1, argument: Some(_), .. }]), "{one:?}");
        assert!(p.approximate);
        assert!(!waits(&p, &p.templates[1]) && waits(&p, &p.templates[2]));
        let creates = |u: u32| {
            let edges = p.templates[0].graph.edges.iter();
            edges.filter(|e| matches!(e.op, Op::Create { template: Some(t), .. } if t == u)).count()
        };
        // Another one may have the same argument, or has a different one.
        assert_eq!((creates(1), creates(2)), (2, 1));
        let p = chosen(text, &Options::default()).unwrap();
        let fails = |t: &Template| {
            t.graph.locations.iter().any(|l| matches!(l.kind, LocationKind::Error(_)))
                && t.graph
                    .edges
                    .iter()
                    .any(|e| matches!(t.graph.locations[e.to.0 as usize].kind, LocationKind::Error(_)))
        };
        assert!(!fails(&p.templates[1]) && fails(&p.templates[2]));
    }

    #[test]
    fn a_thread_each_is_none_of_many() {
        let text = "void *f(void *a) { x = 1; return 0; }
            int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }";
        assert_eq!(chosen(text, &Options::default()), None);
        let text = "void *f(void *a) { x = 1; return 0; }
            int main(void) { pthread_t t; for (;;) pthread_create(&t, 0, f, 0); return 0; }";
        assert!(chosen(text, &Options::default()).is_some());
        let limited = Options { max_threads: Some(3), ..Options::default() };
        assert_eq!(chosen(text, &limited), None);
    }
}
