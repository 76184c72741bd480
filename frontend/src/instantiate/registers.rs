//! Few registers: temporaries that never hold values at the same time share one.
//!
//! Colouring of the interference graph (Chaitin, "Register allocation and spilling via graph coloring", 1982), greedy
//! in order of the registers' numbers. Registers with a name in the source are kept, as traces show them. Only
//! temporaries of one kind share, which may hold addresses in the same objects; and those that inputs flow to only with
//! others of their class, so that no input counts as compared with more constants than before.

use super::liveness::Liveness;
use relyant_cfa::points_to::{Facts, PointsTo};
use relyant_cfa::sparse::Row;
use relyant_cfa::walk;
use relyant_cfa::{Expr, IntKind, Loc, Op, Program, Reg};
use relyant_interp::flow::Flow;
use std::collections::{BTreeMap, BTreeSet};

/// In larger templates only unused registers go.
const LIMIT: usize = 4096;

/// What registers that share one have in common.
type Class = (usize, IntKind, Facts, Option<usize>);

/// Renames the registers of an operation.
pub(super) fn renamed(op: &Op, reg: &dyn Fn(Reg) -> Reg) -> Op {
    let mut expr = |x: &Expr| {
        walk::map_leaves(x, &mut |leaf| {
            if let Expr::Reg(r) = leaf { Expr::Reg(reg(*r)) } else { leaf.clone() }
        })
    };
    walk::map_op(op, &mut expr, reg)
}

/// Merges the registers of all templates.
pub(super) fn merge(program: &mut Program) {
    let points_to = PointsTo::new(program);
    let flow = Flow::new(program);
    let mut inputs: BTreeSet<usize> = BTreeSet::new();
    for (k, o) in program.objects.iter().enumerate() {
        if o.init.contains(&None) {
            inputs.insert(flow.object_number(relyant_cfa::ObjId(k as u32)));
        }
    }
    for (t, template) in program.templates.iter().enumerate() {
        for e in &template.graph.edges {
            if let Op::Havoc { dst, .. } = &e.op {
                inputs.insert(flow.number(t as u32, *dst));
            }
        }
    }
    for t in 0..program.templates.len() {
        let template = &program.templates[t];
        let class = |r: usize| -> Class {
            let reg = Reg(r as u32);
            let number = flow.number(t as u32, reg);
            (
                template.procedures.iter().position(|p| p.registers.contains(&reg.0)).map_or(0, |k| k + 1),
                template.registers[r].kind,
                points_to.eval(t as u32, &Expr::Reg(reg)),
                Some(number).filter(|n| inputs.contains(n)),
            )
        };
        let target = targets(template, &class);
        rename(&mut program.templates[t], &target);
    }
}

/// The register that each one becomes.
fn targets(template: &relyant_cfa::Template, class: &dyn Fn(usize) -> Class) -> Vec<u32> {
    let n = template.registers.len();
    let mut target: Vec<u32> = (0..n as u32).collect();
    if n > LIMIT {
        return target;
    }
    let graph = &template.graph;
    let live = Liveness::new(graph);
    // Values from outside come at the entries.
    let mut free: Vec<bool> = template.registers.iter().map(|r| r.name.is_empty()).collect();
    template.param.into_iter().for_each(|p| free[p.0 as usize] = false);
    template.procedures.iter().flat_map(|p| &p.params).for_each(|p| free[p.0 as usize] = false);
    let entries: Vec<Loc> =
        std::iter::once(template.entry).chain(template.procedures.iter().map(|p| p.entry)).collect();
    for (r, free) in free.iter_mut().enumerate() {
        *free &= !entries.iter().any(|l| live.at(*l, Reg(r as u32)));
    }
    let mut conflicts = vec![Row::default(); n];
    for e in &graph.edges {
        let Some(d) = walk::writes(&e.op).map(|d| d.0 as usize).filter(|d| free[*d]) else { continue };
        conflicts[d].extend(live.row(e.to));
    }
    let meets = |a: usize, b: usize| conflicts[a].has(b as u32) || conflicts[b].has(a as u32);
    // Registers in use, and all that each one stands for.
    let mut colours: BTreeMap<Class, Vec<Vec<usize>>> = BTreeMap::new();
    for r in (0..n).filter(|r| free[*r]) {
        let members = colours.entry(class(r)).or_default();
        match members.iter_mut().find(|m| m.iter().all(|s| !meets(r, *s))) {
            Some(m) => {
                target[r] = m[0] as u32;
                m.push(r);
            }
            None => members.push(vec![r]),
        }
    }
    target
}

/// Renames the registers and renumbers those that are left.
fn rename(template: &mut relyant_cfa::Template, target: &[u32]) {
    let mut used = vec![false; target.len()];
    let mut found: Vec<Reg> = template.param.into_iter().collect();
    found.extend(template.procedures.iter().flat_map(|p| p.params.iter().copied()));
    for e in &template.graph.edges {
        walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
        found.extend(walk::writes(&e.op));
    }
    found.iter().for_each(|r| used[target[r.0 as usize] as usize] = true);
    // Number of registers in use before each.
    let mut before = Vec::with_capacity(used.len() + 1);
    let mut count = 0;
    for u in &used {
        before.push(count);
        count += u32::from(*u);
    }
    before.push(count);
    let reg = |r: Reg| Reg(before[target[r.0 as usize] as usize]);
    for e in &mut template.graph.edges {
        e.op = renamed(&e.op, &reg);
    }
    template.param = template.param.map(reg);
    for p in &mut template.procedures {
        p.params.iter_mut().for_each(|r| *r = reg(*r));
        p.registers = before[p.registers.start as usize]..before[p.registers.end as usize];
    }
    let mut keep = used.iter();
    template.registers.retain(|_| keep.next().copied().unwrap_or(false));
}
