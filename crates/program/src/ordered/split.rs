//! Several threads of one template as templates of one thread each.

use crate::{Count, Program, Scope, Variable};
use relyant_linear::Var;
use std::collections::BTreeMap;

/// Threads of one template, at most.
pub const MOST: u32 = 4;

/// The program in which each template has one thread at most. The further ones come after all others, with locals of their own.
pub fn split(p: &Program) -> Program {
    let mut out = p.clone();
    for t in 0..p.templates.len() {
        let Count::AtMost(n @ 2..=MOST) = p.templates[t].count else { continue };
        out.templates[t].count = Count::AtMost(1);
        for k in 2..=n {
            copy(&mut out, t, k);
        }
    }
    out
}

/// Adds a thread that does what those of a template do.
fn copy(p: &mut Program, t: usize, k: u32) {
    let new = p.templates.len() as u32;
    let own = |v: &Variable| v.scope == Scope::Local(t as u32);
    let locals: Vec<u32> = (0u32..).zip(&p.variables).filter(|v| own(v.1)).map(|v| v.0).collect();
    let copies = locals.iter().map(|v| {
        let v = &p.variables[*v as usize];
        Variable { name: format!("{}#{k}", v.name), scope: Scope::Local(new), ..v.clone() }
    });
    let first = p.add_variables(copies.collect());
    let moved: BTreeMap<Var, Var> = locals.iter().zip(first.0..).map(|(v, w)| (Var(*v), Var(w))).collect();
    let renamed = |v: Var| moved.get(&v).copied().unwrap_or(v);
    let mut template = p.templates[t].clone();
    template.name = format!("{}#{k}", template.name);
    template.identity = template.identity.map(renamed);
    for e in &mut template.edges {
        e.rename(renamed);
    }
    p.templates.push(template);
    p.init = p.init.and(&p.init.rename(renamed));
}
