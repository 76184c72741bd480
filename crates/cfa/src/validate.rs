//! Is a program well formed? Asked in tests and debug builds.

use super::{Expr, Loc, LocationKind, Op, Owner, Program, Reg, Template};
use crate::walk;
use std::fmt;

/// What is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// Lists that go by objects are not of one length.
    #[error("{objects} objects, {owners} owners, {bases} bases")]
    Lengths {
        /// How many objects there are.
        objects: usize,
        /// How many owners are listed.
        owners: usize,
        /// How many addresses are listed.
        bases: usize,
    },
    /// An object has not one start value for each cell.
    #[error("object {name}: {cells} cells, {values} start values")]
    StartValues {
        /// Its name.
        name: String,
        /// How many cells it has.
        cells: usize,
        /// How many start values it has.
        values: usize,
    },
    /// An object is not apart from the next one, or is at 0.
    #[error("object {0} has a bad address")]
    Address(String),
    /// An object is of a template that does not exist.
    #[error("object {0} has no owner")]
    NoOwner(String),
    /// Something in a template.
    #[error("template {name}: {at}{what}")]
    Template {
        /// Its name.
        name: String,
        /// Where in it.
        at: Part,
        /// What is wrong there.
        what: Fault,
    },
}

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The template itself.
    Whole,
    /// The edge with this index.
    Edge(usize),
    /// The location with this index.
    Location(usize),
    /// The procedure with this name.
    Procedure(String),
}

impl fmt::Display for Part {
    /// With a colon after it, where it is less than the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Whole => Ok(()),
            Part::Edge(i) => write!(f, "edge {i}: "),
            Part::Location(i) => write!(f, "location {i}: "),
            Part::Procedure(name) => write!(f, "procedure {name}: "),
        }
    }
}

/// What is wrong in a part of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The first location does not exist.
    #[error("entry out of range")]
    NoEntry,
    /// A thread would begin inside of an atomic section.
    #[error("the entry is atomic")]
    AtomicEntry,
    /// The register of the parameter does not exist.
    #[error("parameter out of range")]
    NoParameter,
    /// An edge's end does not exist.
    #[error("location out of range")]
    NoLocation,
    /// An edge goes on where a thread has ended.
    #[error("leaves an end or error")]
    LeavesEnd,
    /// An edge that is neither call nor return changes the procedure.
    #[error("leads out of its procedure")]
    LeavesProcedure,
    /// A call names no procedure of the template.
    #[error("calls no procedure")]
    NoCallee,
    /// A call gives more or fewer arguments than there are parameters.
    #[error("wrong number of arguments")]
    Arguments,
    /// A return outside of procedures.
    #[error("returns from no procedure")]
    ReturnsFromNone,
    /// A return whose target is no end.
    #[error("a return that leads on")]
    ReturnLeadsOn,
    /// A thread or the program ends, but the target is no end.
    #[error("an end that leads on")]
    EndLeadsOn,
    /// A thread of no template is created.
    #[error("creates no template")]
    NoTemplate,
    /// A register that does not exist is written.
    #[error("writes no register")]
    WritesNone,
    /// A register that does not exist is read.
    #[error("reads no register")]
    ReadsNone,
    /// The address of a function that does not exist.
    #[error("no such function")]
    NoFunction,
    /// The address of an object that does not exist.
    #[error("no such object")]
    NoObject,
    /// The address of an object that belongs to another template's threads.
    #[error("another template's object")]
    ForeignObject,
    /// A register is used outside of its procedure.
    #[error("a register of another procedure")]
    ForeignRegister,
    /// A thread would end inside of an atomic section.
    #[error("an end inside an atomic section")]
    AtomicEnd,
    /// Registers or locations of a procedure do not exist.
    #[error("range out of bounds")]
    Range,
    /// The first location is not among the procedure's own, or the template's is.
    #[error("entry in the wrong place")]
    EntryOutside,
    /// A parameter is no register of the procedure.
    #[error("a parameter of another procedure")]
    ForeignParameter,
    /// An object of the procedure is not its template's.
    #[error("an object of another template")]
    ForeignProcedureObject,
    /// Two procedures are of one function, or share registers or locations.
    #[error("overlaps another")]
    Overlaps,
    /// Two procedures share an object.
    #[error("shares an object with another")]
    SharesObject,
}

/// Something wrong in a template.
type Found = (Part, Fault);

impl Program {
    /// Checks that the parts fit together: indices in range, calls and returns only where there are procedures,
    /// nothing leaves an end or a procedure, no end is inside an atomic section, addresses are apart.
    ///
    /// # Errors
    /// What is wrong.
    pub fn validate(&self) -> Result<(), Malformed> {
        let n = self.objects.len();
        if self.owners.len() != n || self.bases.len() != n {
            return Err(Malformed::Lengths {
                objects: n,
                owners: self.owners.len(),
                bases: self.bases.len(),
            });
        }
        for (i, o) in self.objects.iter().enumerate() {
            if o.cells.len() != o.init.len() {
                return Err(Malformed::StartValues {
                    name: o.name.clone(),
                    cells: o.cells.len(),
                    values: o.init.len(),
                });
            }
            let end = self.bases[i] + i128::from(o.size());
            if self.bases[i] <= 0 || self.bases.get(i + 1).is_some_and(|b| *b <= end) {
                return Err(Malformed::Address(o.name.clone()));
            }
            if let Owner::Template(t) = self.owners[i] {
                if t as usize >= self.templates.len() {
                    return Err(Malformed::NoOwner(o.name.clone()));
                }
            }
        }
        for (k, t) in self.templates.iter().enumerate() {
            let named = |(at, what)| Malformed::Template { name: t.name.clone(), at, what };
            self.validate_template(k as u32, t).map_err(named)?;
        }
        Ok(())
    }

    fn validate_template(&self, number: u32, t: &Template) -> Result<(), Found> {
        let in_range = |l: Loc| (l.0 as usize) < t.graph.locations.len();
        if !in_range(t.entry) {
            return Err((Part::Whole, Fault::NoEntry));
        }
        if t.graph.locations[t.entry.0 as usize].atomic {
            return Err((Part::Whole, Fault::AtomicEntry));
        }
        if t.param.is_some_and(|p| p.0 as usize >= t.registers.len()) {
            return Err((Part::Whole, Fault::NoParameter));
        }
        for (i, e) in t.graph.edges.iter().enumerate() {
            let at = |what: Fault| Err((Part::Edge(i), what));
            if !in_range(e.from) || !in_range(e.to) {
                return at(Fault::NoLocation);
            }
            if t.graph.locations[e.from.0 as usize].kind != LocationKind::Normal {
                return at(Fault::LeavesEnd);
            }
            let home = t.procedure_at(e.from);
            if home.map(|p| p.function) != t.procedure_at(e.to).map(|p| p.function) {
                return at(Fault::LeavesProcedure);
            }
            let ends = t.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            match &e.op {
                Op::Call { callee, args, .. } => match t.procedure(callee) {
                    None => return at(Fault::NoCallee),
                    Some(p) if p.params.len() != args.len() => return at(Fault::Arguments),
                    Some(_) => {}
                },
                Op::Return(_) if home.is_none() => return at(Fault::ReturnsFromNone),
                Op::Return(_) if !ends => return at(Fault::ReturnLeadsOn),
                Op::Halt | Op::ThreadExit(_) if !ends => return at(Fault::EndLeadsOn),
                Op::Create { template, .. }
                    if template.is_none_or(|c| c as usize >= self.templates.len()) =>
                {
                    return at(Fault::NoTemplate);
                }
                _ => {}
            }
            if walk::writes(&e.op).is_some_and(|r| r.0 as usize >= t.registers.len()) {
                return at(Fault::WritesNone);
            }
            let mut bad = None;
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| match x {
                    Expr::Reg(r) if r.0 as usize >= t.registers.len() => bad = Some(Fault::ReadsNone),
                    Expr::Func(f) if f.0 as usize >= self.function_bases.len() => {
                        bad = Some(Fault::NoFunction)
                    }
                    Expr::Addr(o) => match self.owners.get(o.0 as usize) {
                        None => bad = Some(Fault::NoObject),
                        Some(Owner::Template(u)) if *u != number => bad = Some(Fault::ForeignObject),
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
                return at(Fault::ForeignRegister);
            }
            if let Some(what) = bad {
                return at(what);
            }
        }
        self.validate_procedures(number, t)?;
        match t.graph.locations.iter().position(|l| l.atomic && l.kind != LocationKind::Normal) {
            Some(i) => Err((Part::Location(i), Fault::AtomicEnd)),
            None => Ok(()),
        }
    }

    fn validate_procedures(&self, number: u32, t: &Template) -> Result<(), Found> {
        for (i, p) in t.procedures.iter().enumerate() {
            let wrong = |what: Fault| Err((Part::Procedure(p.name.clone()), what));
            let inside = |range: &std::ops::Range<u32>, end: usize| {
                range.start <= range.end && range.end as usize <= end
            };
            if !inside(&p.registers, t.registers.len()) || !inside(&p.locations, t.graph.locations.len()) {
                return wrong(Fault::Range);
            }
            if !p.locations.contains(&p.entry.0) || p.locations.contains(&t.entry.0) {
                return wrong(Fault::EntryOutside);
            }
            if p.params.iter().any(|r| !p.registers.contains(&r.0)) {
                return wrong(Fault::ForeignParameter);
            }
            let owner = |o: &super::ObjId| self.owners.get(o.0 as usize);
            if p.objects.iter().any(|o| owner(o) != Some(&Owner::Template(number))) {
                return wrong(Fault::ForeignProcedureObject);
            }
            for q in &t.procedures[..i] {
                let apart = |a: &std::ops::Range<u32>, b: &std::ops::Range<u32>| {
                    a.is_empty() || b.is_empty() || a.end <= b.start || b.end <= a.start
                };
                if p.function == q.function
                    || !apart(&p.registers, &q.registers)
                    || !apart(&p.locations, &q.locations)
                {
                    return wrong(Fault::Overlaps);
                }
                if p.objects.iter().any(|o| q.objects.contains(o)) {
                    return wrong(Fault::SharesObject);
                }
            }
        }
        Ok(())
    }
}
