//! Is a program well formed? Asked in tests and debug builds.

use super::{Expr, Loc, LocationKind, Op, Owner, Program, Template};
use crate::instantiate::walk;

impl Program {
    /// Checks that the parts fit together: indices in range, no `Call` or `Return`, nothing leaves an end, no end is
    /// inside an atomic section, addresses are apart. Says what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let n = self.objects.len();
        if self.owners.len() != n || self.bases.len() != n {
            return Err(format!("{n} objects, {} owners, {} bases", self.owners.len(), self.bases.len()));
        }
        for (i, o) in self.objects.iter().enumerate() {
            if o.cells.len() != o.init.len() {
                return Err(format!(
                    "object {}: {} cells, {} start values",
                    o.name,
                    o.cells.len(),
                    o.init.len()
                ));
            }
            let end = self.bases[i] + o.cells.len() as i128;
            if self.bases[i] <= 0 || self.bases.get(i + 1).is_some_and(|b| *b <= end) {
                return Err(format!("object {} has a bad address", o.name));
            }
            if let Owner::Template(t) = self.owners[i] {
                if t as usize >= self.templates.len() {
                    return Err(format!("object {} has no owner", o.name));
                }
            }
        }
        for (k, t) in self.templates.iter().enumerate() {
            self.validate_template(k as u32, t).map_err(|e| format!("template {}: {e}", t.name))?;
        }
        Ok(())
    }

    fn validate_template(&self, number: u32, t: &Template) -> Result<(), String> {
        let in_range = |l: Loc| (l.0 as usize) < t.graph.locations.len();
        if !in_range(t.entry) {
            return Err("entry out of range".into());
        }
        if t.graph.locations[t.entry.0 as usize].atomic {
            return Err("the entry is atomic".into());
        }
        if t.param.is_some_and(|p| p.0 as usize >= t.registers.len()) {
            return Err("parameter out of range".into());
        }
        for (i, e) in t.graph.edges.iter().enumerate() {
            let at = |what: &str| Err(format!("edge {i}: {what}"));
            if !in_range(e.from) || !in_range(e.to) {
                return at("location out of range");
            }
            if t.graph.locations[e.from.0 as usize].kind != LocationKind::Normal {
                return at("leaves an end or error");
            }
            let ends = t.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            match &e.op {
                Op::Call { .. } | Op::Return(_) => return at("call or return"),
                Op::Halt | Op::ThreadExit(_) if !ends => return at("an end that leads on"),
                Op::Create { template, .. }
                    if template.is_none_or(|c| c as usize >= self.templates.len()) =>
                {
                    return at("creates no template");
                }
                _ => {}
            }
            if walk::writes(&e.op).is_some_and(|r| r.0 as usize >= t.registers.len()) {
                return at("writes no register");
            }
            let mut bad = None;
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| match x {
                    Expr::Reg(r) if r.0 as usize >= t.registers.len() => bad = Some("reads no register"),
                    Expr::Func(f) if f.0 as usize >= self.function_bases.len() => {
                        bad = Some("no such function")
                    }
                    Expr::Addr(o) => match self.owners.get(o.0 as usize) {
                        None => bad = Some("no such object"),
                        Some(Owner::Template(u)) if *u != number => bad = Some("another template's object"),
                        Some(_) => {}
                    },
                    _ => {}
                });
            }
            if let Some(what) = bad {
                return at(what);
            }
        }
        match t.graph.locations.iter().position(|l| l.atomic && l.kind != LocationKind::Normal) {
            Some(i) => Err(format!("location {i}: an end inside an atomic section")),
            None => Ok(()),
        }
    }
}
