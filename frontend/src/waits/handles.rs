//! Whose end a thread may wait for: the templates of the threads whose handle a value may be. Inclusion-based and
//! flow-insensitive; a value that is made of a handle in any way counts as one.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Expr, Op, Program, walk};
use std::collections::BTreeSet;

type Templates = BTreeSet<u32>;

/// Templates of the threads whose handles are in registers and objects.
#[derive(Debug)]
pub(super) struct Handles {
    /// By template, then register.
    registers: Vec<Vec<Templates>>,
    objects: Vec<Templates>,
    /// Stored nobody knows where.
    anywhere: Templates,
    /// What threads return.
    returned: Templates,
}

impl Handles {
    pub(super) fn new(program: &Program, points_to: &PointsTo) -> Handles {
        let mut h = Handles {
            registers: program.templates.iter().map(|t| vec![Templates::new(); t.registers.len()]).collect(),
            objects: vec![Templates::new(); program.objects.len()],
            anywhere: Templates::new(),
            returned: Templates::new(),
        };
        while h.grow(program, points_to) {}
        h
    }

    /// Those that an expression of a template may be the handle of.
    pub(super) fn of(&self, template: u32, e: &Expr) -> Templates {
        let mut out = Templates::new();
        walk::visit(e, &mut |x| match x {
            Expr::SelfId => {
                out.insert(template);
            }
            Expr::Reg(r) => out.extend(&self.registers[template as usize][r.0 as usize]),
            _ => {}
        });
        out
    }

    fn loaded(&self, targets: &Targets) -> Templates {
        let mut out = self.anywhere.clone();
        match targets {
            Targets::Objects(all) => all.iter().for_each(|(o, _)| out.extend(&self.objects[o.0 as usize])),
            Targets::Unknown => self.objects.iter().for_each(|o| out.extend(o)),
        }
        out
    }

    fn grow(&mut self, program: &Program, points_to: &PointsTo) -> bool {
        let mut grown = false;
        for (t, template) in program.templates.iter().enumerate() {
            let t32 = t as u32;
            for e in &template.graph.edges {
                let (register, more) = match &e.op {
                    Op::Assign(r, x) => (Some((t, *r)), self.of(t32, x)),
                    Op::Load(r, a, _) => (Some((t, *r)), self.loaded(&points_to.targets(t32, a))),
                    Op::Join { result, .. } => (result.map(|r| (t, r)), self.returned.clone()),
                    Op::Create { handle, template: Some(of), arg, .. } => {
                        let param = program.templates[*of as usize].param;
                        if let (Some(p), Some(arg)) = (param, arg) {
                            let more = self.of(t32, arg);
                            grown |= add(&mut self.registers[*of as usize][p.0 as usize], more);
                        }
                        (Some((t, *handle)), Templates::from([*of]))
                    }
                    Op::Store(a, x, _) => {
                        let more = self.of(t32, x);
                        match points_to.targets(t32, a) {
                            Targets::Objects(all) => {
                                for (o, _) in all {
                                    grown |= add(&mut self.objects[o.0 as usize], more.clone());
                                }
                            }
                            Targets::Unknown => grown |= add(&mut self.anywhere, more),
                        }
                        continue;
                    }
                    Op::ThreadExit(x) => {
                        let more = self.of(t32, x);
                        grown |= add(&mut self.returned, more);
                        continue;
                    }
                    _ => continue,
                };
                if let Some((t, r)) = register {
                    grown |= add(&mut self.registers[t][r.0 as usize], more);
                }
            }
        }
        grown
    }
}

fn add(set: &mut Templates, more: Templates) -> bool {
    let before = set.len();
    set.extend(more);
    set.len() > before
}
