//! A plain text form of modules, for tests and for looking at.

use super::{BinOp, Callee, Expr, IntKind, LocationKind, Module, Op, UnOp};
use std::fmt::{self, Display, Formatter};

impl Display for IntKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            IntKind::Machine { bits, signed } => write!(f, "{}{bits}", if *signed { 'i' } else { 'u' }),
            IntKind::Bool => write!(f, "bool"),
            IntKind::Ideal => write!(f, "int"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(n) => write!(f, "{n}"),
            Expr::Reg(r) => write!(f, "r{}", r.0),
            Expr::Addr(o) => write!(f, "&o{}", o.0),
            Expr::Func(x) => write!(f, "&f{}", x.0),
            Expr::SelfId => write!(f, "self"),
            Expr::Unary(UnOp::Neg, a, k) => write!(f, "-{k} {a}"),
            Expr::Unary(UnOp::BitNot, a, k) => write!(f, "~{k} {a}"),
            Expr::Unary(UnOp::Float(op), a, k) => write!(f, "{op:?}{k} {a}"),
            Expr::Binary(BinOp::Float(op, p), a, b, _) => write!(f, "({a} {op:?}{} {b})", p.kind()),
            Expr::Binary(op, a, b, k) => write!(f, "({a} {}{k} {b})", op.symbol()),
            Expr::Compare(op, a, b) => write!(f, "({a} {} {b})", op.symbol()),
            Expr::Not(a) => write!(f, "!{a}"),
            Expr::Cast(a, k) => write!(f, "{k}({a})"),
        }
    }
}

impl Display for Callee {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Known(x) => write!(f, "f{}", x.0),
            Callee::Pointer(e) => write!(f, "*{e}"),
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Op::Skip => write!(f, "skip"),
            Op::Assign(r, e) => write!(f, "r{} := {e}", r.0),
            Op::Havoc { dst, source } => write!(f, "r{} := any {source}", dst.0),
            Op::Load(r, a, k) => write!(f, "r{} := {k} [{a}]", r.0),
            Op::Store(a, v, k) => write!(f, "{k} [{a}] := {v}"),
            Op::Assume(e) => write!(f, "assume {e}"),
            Op::Call { dst, callee, args } => {
                if let Some(r) = dst {
                    write!(f, "r{} := ", r.0)?;
                }
                let args: Vec<String> = args.iter().map(Expr::to_string).collect();
                write!(f, "call {callee}({})", args.join(", "))
            }
            Op::Create { handle, routine, arg, template } => {
                write!(f, "r{} := create {routine}", handle.0)?;
                if let Some(t) = template {
                    write!(f, "#{t}")?;
                }
                arg.as_ref().map_or(Ok(()), |a| write!(f, "({a})"))
            }
            Op::Join { handle, result } => {
                if let Some(r) = result {
                    write!(f, "r{} := ", r.0)?;
                }
                write!(f, "join {handle}")
            }
            Op::ThreadExit(e) => write!(f, "thread exit {e}"),
            Op::Halt => write!(f, "halt"),
            Op::Return(None) => write!(f, "return"),
            Op::Return(Some(e)) => write!(f, "return {e}"),
        }
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (k, o) in self.objects.iter().enumerate() {
            write!(f, "o{k} {}{}:", o.name, if o.thread_local { " thread-local" } else { "" })?;
            for (c, i) in o.cells.iter().zip(&o.init) {
                match i {
                    Some(v) => write!(f, " {}{}={v}", c.0, c.1)?,
                    None => write!(f, " {}{}=any", c.0, c.1)?,
                }
            }
            writeln!(f)?;
        }
        for (k, x) in self.functions.iter().enumerate() {
            let params: Vec<String> = x.params.iter().map(|r| format!("r{}", r.0)).collect();
            write!(f, "f{k} {}({})", x.name, params.join(", "))?;
            if let Some(r) = x.result {
                write!(f, " {r}")?;
            }
            writeln!(f, "{}", if x.atomic { " atomic" } else { "" })?;
            let registers: Vec<String> = x
                .registers
                .iter()
                .enumerate()
                .map(|(k, r)| {
                    if r.name.is_empty() {
                        format!("r{k} {}", r.kind)
                    } else {
                        format!("r{k} {} {}", r.kind, r.name)
                    }
                })
                .collect();
            writeln!(f, "  registers {}", registers.join(", "))?;
            writeln!(f, "  entry {}", x.entry.0)?;
            for (k, l) in x.graph.locations.iter().enumerate() {
                let mut notes = Vec::new();
                if l.atomic {
                    notes.push("atomic".to_string());
                }
                if l.assumes {
                    notes.push("assumes".to_string());
                }
                match &l.kind {
                    LocationKind::Normal => {}
                    LocationKind::Error(what) => notes.push(format!("error {what}")),
                    LocationKind::Limit(what) => notes.push(format!("limit {what}")),
                    LocationKind::End => notes.push("end".into()),
                }
                notes.extend(l.labels.iter().map(|n| format!("label {n}")));
                if !notes.is_empty() {
                    writeln!(f, "  {k}: {}", notes.join(", "))?;
                }
            }
            for e in &x.graph.edges {
                writeln!(f, "  {} -> {} {}", e.from.0, e.to.0, e.op)?;
            }
        }
        let starts: Vec<String> = self.starts.iter().map(|s| format!("f{}", s.0)).collect();
        writeln!(f, "starts {}", starts.join(", "))?;
        self.assumes.iter().try_for_each(|a| writeln!(f, "assumes {a}"))
    }
}
