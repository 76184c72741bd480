//! Which objects belong to one thread alone.

use super::error::Refusal;
use super::memory::Memory;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{Count, Expr, ObjId, Op, Owner, Program};
use std::collections::BTreeSet;

/// Sets `owners`. A local or thread-local object belongs to its template if no other thread can name it.
pub(super) fn assign(program: &mut Program, memory: &Memory) -> Result<(), Refusal> {
    let points_to = PointsTo::new(program);
    let n = program.objects.len();
    // Templates that access or mention each object; `None` stands for an access to anything.
    let mut users: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
    let mut wild: BTreeSet<u32> = BTreeSet::new();
    for (t, template) in program.templates.iter().enumerate() {
        let t = t as u32;
        for e in &template.graph.edges {
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| {
                    if let Expr::Addr(o) = x {
                        users[o.0 as usize].insert(t);
                    }
                });
            }
            if let Op::Load(_, a, _) | Op::Store(a, _, _) = &e.op {
                match points_to.targets(t, a) {
                    Targets::Objects(set) => set.iter().for_each(|(o, _)| {
                        users[o.0 as usize].insert(t);
                    }),
                    Targets::Unknown => {
                        wild.insert(t);
                    }
                }
            }
        }
    }
    let escaped = escaped(program, memory, &points_to);
    for (o, users) in users.iter().enumerate() {
        let Some(t) = memory.owner[o] else { continue };
        let alone = users.iter().chain(&wild).all(|u| *u == t);
        program.owners[o] = match program.templates[t as usize].count {
            Count::AtMost(1) if alone => Owner::Template(t),
            Count::AtMost(1) => Owner::Shared,
            _ if alone && !escaped.contains(&ObjId(o as u32)) => Owner::Template(t),
            _ => {
                return Err(Refusal::EscapingLocal {
                    object: program.objects[o].name.clone(),
                    thread: program.templates[t as usize].name.clone(),
                    original: memory.original[o],
                    span: program.objects[o].span,
                });
            }
        };
    }
    of_activations(program, memory, &points_to, !wild.is_empty())
}

/// Each call of a procedure has its own objects: refuses those whose address leaves the call. Drops those that are
/// not used.
fn of_activations(
    program: &mut Program,
    memory: &Memory,
    points_to: &PointsTo,
    wild: bool,
) -> Result<(), Refusal> {
    for t in 0..program.templates.len() {
        let template = &program.templates[t];
        if template.procedures.iter().all(|p| p.objects.is_empty()) {
            continue;
        }
        let mut named = BTreeSet::new();
        let mut leaving = points_to.returned();
        for e in &template.graph.edges {
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| {
                    if let Expr::Addr(o) = x {
                        named.insert(*o);
                    }
                });
            }
            let out: &[Expr] = match &e.op {
                Op::Call { args, .. } => args,
                Op::Create { arg: Some(x), .. } | Op::Return(Some(x)) | Op::Store(_, x, _) => {
                    std::slice::from_ref(x)
                }
                _ => &[],
            };
            leaving.extend(out.iter().flat_map(|x| points_to.held(t as u32, x)));
        }
        for k in 0..template.procedures.len() {
            let used: Vec<ObjId> = {
                let p = &program.templates[t].procedures[k];
                let mut used = p.objects.clone();
                used.retain(|o| named.contains(o));
                if let Some(o) = used.iter().find(|o| wild || leaving.contains(o)) {
                    let object = &program.objects[o.0 as usize];
                    return Err(Refusal::EscapingActivation {
                        object: object.name.clone(),
                        function: p.name.clone(),
                        original: memory.original[o.0 as usize],
                        span: object.span,
                    });
                }
                used
            };
            program.templates[t].procedures[k].objects = used;
        }
    }
    Ok(())
}

/// The objects whose address may come to another thread: through shared objects, as argument or as result.
fn escaped(program: &Program, memory: &Memory, points_to: &PointsTo) -> BTreeSet<ObjId> {
    let mut out = points_to.returned();
    for (t, template) in program.templates.iter().enumerate() {
        for e in &template.graph.edges {
            if let Op::Create { arg: Some(a), .. } = &e.op {
                out.extend(points_to.held(t as u32, a));
            }
        }
    }
    let mut work: Vec<ObjId> = out.iter().copied().collect();
    work.extend(
        (0..program.objects.len() as u32).map(ObjId).filter(|o| memory.owner[o.0 as usize].is_none()),
    );
    while let Some(o) = work.pop() {
        for p in points_to.held_by(o) {
            if out.insert(p) {
                work.push(p);
            }
        }
    }
    out
}
