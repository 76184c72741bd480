//! A program's automata as text and as a DOT graph, with C's own expressions.

use relyant_cfa::{Callee, Count, Edge, Expr, IntKind, LocationKind, Op, Program, Reg, Template, UnOp};
use std::fmt::Write;

/// The program as text: objects, then each template's locations with their edges.
pub fn text(p: &Program) -> String {
    let mut out = String::new();
    for (i, o) in p.objects.iter().enumerate() {
        let base = p.bases.get(i).copied().unwrap_or(0);
        for (k, (kind, suffix)) in o.cells.iter().enumerate() {
            let init = match o.init.get(k).copied().flatten() {
                Some(v) => v.to_string(),
                None => "*".into(),
            };
            let _ = writeln!(out, "{} {}{suffix} = {init}  @{}", kind_name(*kind), o.name, base + k as i128);
        }
    }
    for t in &p.templates {
        let count = match t.count {
            Count::AtMost(1) => String::new(),
            Count::AtMost(n) => format!(", up to {n}"),
            Count::Unbounded => ", any number".into(),
        };
        let when = if t.initial { "from the start" } else { "when created" };
        let _ = writeln!(out, "\nthread {} ({when}{count})", t.name);
        for (l, edges) in t.graph.out_edges().iter().enumerate() {
            let here = &t.graph.locations[l];
            let entry = if t.entry.0 as usize == l { " entry" } else { "" };
            let atomic = if here.atomic { " atomic" } else { "" };
            let kind = kind_of(&here.kind);
            let _ = writeln!(out, "  l{l}:{entry}{atomic}{kind}{}", place(p, here.span));
            for e in edges.iter().filter_map(|e| t.graph.edges.get(*e)) {
                let _ = writeln!(out, "    {} -> l{}", op(p, t, e), e.to.0);
            }
        }
    }
    out
}

/// The program as a DOT graph, a cluster for each template.
pub fn dot(p: &Program) -> String {
    let mut out = String::from("digraph automata {\n  node [shape=ellipse];\n");
    for (i, t) in p.templates.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label=\"{}\";", quoted(&t.name));
        for (l, here) in t.graph.locations.iter().enumerate() {
            let style = match here.kind {
                LocationKind::Error(_) => ", shape=box, color=red",
                LocationKind::Limit(_) => ", shape=box, color=orange",
                LocationKind::End => ", shape=box",
                LocationKind::Normal if here.atomic => ", style=dashed",
                LocationKind::Normal => "",
            };
            let label = format!("l{l}{}{}", kind_of(&here.kind), place(p, here.span));
            let _ = writeln!(out, "    t{i}_{l} [label=\"{}\"{style}];", quoted(&label));
        }
        for e in &t.graph.edges {
            let label = quoted(&op(p, t, e));
            let _ = writeln!(out, "    t{i}_{} -> t{i}_{} [label=\"{label}\"];", e.from.0, e.to.0);
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn kind_of(kind: &LocationKind) -> String {
    match kind {
        LocationKind::Normal => String::new(),
        LocationKind::End => " end".into(),
        LocationKind::Limit(what) => format!(" limit: {what}"),
        LocationKind::Error(what) => format!(" error: {what}"),
    }
}

fn place(p: &Program, span: relyant_cfa::diagnostic::Span) -> String {
    match p.files.get(span.file as usize) {
        Some(file) if span.line > 0 => format!("  {file}:{}", span.line),
        _ => String::new(),
    }
}

fn kind_name(kind: IntKind) -> String {
    match kind {
        IntKind::Machine { bits, signed: true } => format!("int{bits}"),
        IntKind::Machine { bits, .. } => format!("uint{bits}"),
        IntKind::Bool => "bool".into(),
        IntKind::Ideal => "integer".into(),
    }
}

fn register(t: &Template, r: Reg) -> String {
    match t.registers.get(r.0 as usize) {
        Some(x) if !x.name.is_empty() => format!("{}%{}", x.name, r.0),
        _ => format!("%{}", r.0),
    }
}

fn callee(p: &Program, t: &Template, c: &Callee) -> String {
    match c {
        Callee::Known(f) => format!("f{}", f.0),
        Callee::Pointer(e) => format!("*{}", expr(p, t, e)),
    }
}

fn op(p: &Program, t: &Template, e: &Edge) -> String {
    let x = |e: &Expr| expr(p, t, e);
    match &e.op {
        Op::Skip => "skip".into(),
        Op::Assign(r, e) => format!("{} := {}", register(t, *r), x(e)),
        Op::Havoc { dst, source } if source.is_uninitialised() => format!("{} := *", register(t, *dst)),
        Op::Havoc { dst, source } => format!("{} := {source}()", register(t, *dst)),
        Op::Load(r, a, _) => format!("{} := [{}]", register(t, *r), x(a)),
        Op::Store(a, v, _) => format!("[{}] := {}", x(a), x(v)),
        Op::Assume(e) => format!("assume {}", x(e)),
        Op::Call { callee: c, args, .. } => {
            let args: Vec<String> = args.iter().map(x).collect();
            format!("call {}({})", callee(p, t, c), args.join(", "))
        }
        Op::Create { handle, routine, arg, template } => {
            let name = template
                .and_then(|i| p.templates.get(i as usize))
                .map_or_else(|| callee(p, t, routine), |t| t.name.clone());
            let arg = arg.as_ref().map(x).unwrap_or_default();
            format!("{} := create {name}({arg})", register(t, *handle))
        }
        Op::Join { handle, result } => {
            let into = result.map(|r| format!("{} := ", register(t, r))).unwrap_or_default();
            format!("{into}join {}", x(handle))
        }
        Op::ThreadExit(e) => format!("exit thread {}", x(e)),
        Op::Halt => "halt".into(),
        Op::Return(e) => format!("return {}", e.as_ref().map(x).unwrap_or_default()),
    }
}

fn expr(p: &Program, t: &Template, e: &Expr) -> String {
    let x = |e: &Expr| expr(p, t, e);
    match e {
        Expr::Const(c) => c.to_string(),
        Expr::Reg(r) => register(t, *r),
        Expr::Addr(o) => format!("&{}", p.objects.get(o.0 as usize).map_or("?", |o| &o.name)),
        Expr::Func(f) => format!("&f{}", f.0),
        Expr::SelfId => "self".into(),
        Expr::Unary(UnOp::Neg, a, _) => format!("-{}", x(a)),
        Expr::Unary(UnOp::BitNot, a, _) => format!("~{}", x(a)),
        Expr::Unary(UnOp::Float(op), a, _) => format!("{op:?}({})", x(a)),
        Expr::Binary(op, a, b, _) => format!("({} {} {})", x(a), op.symbol(), x(b)),
        Expr::Compare(op, a, b) => format!("({} {} {})", x(a), op.symbol(), x(b)),
        Expr::Not(a) => format!("!{}", x(a)),
        Expr::Cast(a, kind) => format!("({}){}", kind_name(*kind), x(a)),
    }
}
