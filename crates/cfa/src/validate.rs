//! Is a program well formed? Asked in tests and debug builds.

use super::{Expr, Loc, LocationKind, Op, Owner, Program, Reg, Template};
use crate::walk;

impl Program {
    /// Checks that the parts fit together: indices in range, calls and returns only where there are procedures,
    /// nothing leaves an end or a procedure, no end is inside an atomic section, addresses are apart. Says what is wrong.
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
            let home = t.procedure_at(e.from);
            if home.map(|p| p.function) != t.procedure_at(e.to).map(|p| p.function) {
                return at("leads out of its procedure");
            }
            let ends = t.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            match &e.op {
                Op::Call { callee, args, .. } => match t.procedure(callee) {
                    None => return at("calls no procedure"),
                    Some(p) if p.params.len() != args.len() => return at("wrong number of arguments"),
                    Some(_) => {}
                },
                Op::Return(_) if home.is_none() => return at("returns from no procedure"),
                Op::Return(_) if !ends => return at("a return that leads on"),
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
            let foreign = |r: &Reg| match home {
                Some(p) => !p.registers.contains(&r.0),
                None => t.procedures.iter().any(|p| p.registers.contains(&r.0)),
            };
            let mut used: Vec<Reg> = walk::writes(&e.op).into_iter().collect();
            walk::reads(&e.op).into_iter().for_each(|x| walk::registers(x, &mut used));
            if used.iter().any(foreign) {
                return at("a register of another procedure");
            }
            if let Some(what) = bad {
                return at(what);
            }
        }
        self.validate_procedures(number, t)?;
        match t.graph.locations.iter().position(|l| l.atomic && l.kind != LocationKind::Normal) {
            Some(i) => Err(format!("location {i}: an end inside an atomic section")),
            None => Ok(()),
        }
    }

    fn validate_procedures(&self, number: u32, t: &Template) -> Result<(), String> {
        for (i, p) in t.procedures.iter().enumerate() {
            let wrong = |what: &str| Err(format!("procedure {}: {what}", p.name));
            let inside = |range: &std::ops::Range<u32>, end: usize| {
                range.start <= range.end && range.end as usize <= end
            };
            if !inside(&p.registers, t.registers.len()) || !inside(&p.locations, t.graph.locations.len()) {
                return wrong("range out of bounds");
            }
            if !p.locations.contains(&p.entry.0) || p.locations.contains(&t.entry.0) {
                return wrong("entry in the wrong place");
            }
            if p.params.iter().any(|r| !p.registers.contains(&r.0)) {
                return wrong("a parameter of another procedure");
            }
            let owner = |o: &super::ObjId| self.owners.get(o.0 as usize);
            if p.objects.iter().any(|o| owner(o) != Some(&Owner::Template(number))) {
                return wrong("an object of another template");
            }
            for q in &t.procedures[..i] {
                let apart = |a: &std::ops::Range<u32>, b: &std::ops::Range<u32>| {
                    a.is_empty() || b.is_empty() || a.end <= b.start || b.end <= a.start
                };
                if p.function == q.function
                    || !apart(&p.registers, &q.registers)
                    || !apart(&p.locations, &q.locations)
                {
                    return wrong("overlaps another");
                }
                if p.objects.iter().any(|o| q.objects.contains(o)) {
                    return wrong("shares an object with another");
                }
            }
        }
        Ok(())
    }
}
