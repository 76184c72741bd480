//! Thread programs as text and as DOT graphs.

use super::{Count, Edge, Input, Program, Scope, Template};
use relyant_cfa::diagnostic::Span;
use relyant_linear::Var;
use std::fmt::Write;

impl Program {
    /// Name of a variable, or of an edge's input (`in0`…).
    pub fn name(&self, v: Var) -> String {
        match self.variables.get(v.0 as usize) {
            Some(x) => x.name.clone(),
            None => format!("in{}", v.0 as usize - self.variables.len()),
        }
    }
    fn place(&self, s: Span) -> String {
        match self.files.get(s.file as usize) {
            Some(f) if s.line > 0 => format!("{f}:{}", s.line),
            _ => String::new(),
        }
    }
    /// Condition and updates of an edge.
    pub fn display_edge(&self, e: &Edge) -> String {
        let name = |v: Var| self.name(v);
        let mut parts = Vec::new();
        if !e.inputs.is_empty() {
            let input = |(k, i): (usize, &Input)| match i {
                Input::Havoc(_) => format!("any in{k}"),
                Input::Auxiliary => format!("some in{k}"),
                Input::Remainder { number, divisor } => {
                    format!("in{k} = {} % {}", self.name(*number), self.name(*divisor))
                }
                Input::Chosen(_, c) => format!("input {c}"),
            };
            parts.push(e.inputs.iter().enumerate().map(input).collect::<Vec<_>>().join(", ") + ":");
        }
        if !e.guard.is_top() {
            parts.push(format!("[{}]", e.guard.display(name)));
        }
        if !e.bounds.is_top() {
            parts.push(format!("{{{}}}", e.bounds.display(name)));
        }
        let updates: Vec<_> =
            e.updates.iter().map(|(v, x)| format!("{} := {}", name(*v), x.display(name))).collect();
        if !updates.is_empty() {
            parts.push(updates.join(", "));
        }
        if !e.exact {
            parts.push("(over-approximated)".into());
        }
        if parts.is_empty() { "skip".into() } else { parts.join(" ") }
    }
    fn display_template(&self, t: &Template, out: &mut String) {
        let count = match t.count {
            Count::AtMost(1) => String::new(),
            Count::AtMost(n) => format!(" (at most {n})"),
            Count::Unbounded => " (any number)".into(),
        };
        let _ = writeln!(out, "thread {}{count}: starts at l{}", t.name, t.entry.0);
        for (i, l) in t.locations.iter().enumerate() {
            let mut notes = vec![self.place(l.span)];
            notes.extend(l.labels.iter().map(|x| format!("{x}:")));
            notes.extend(l.error.iter().map(|x| format!("error: {x}")));
            notes.retain(|n| !n.is_empty());
            let _ = writeln!(out, "  l{i}  {}", notes.join("  "));
            for e in t.edges.iter().filter(|e| e.from.0 as usize == i) {
                let _ = writeln!(out, "    l{i} -> l{}: {}", e.to.0, self.display_edge(e));
            }
        }
    }
    /// The program as text.
    pub fn display(&self) -> String {
        let mut out = String::new();
        for x in &self.variables {
            let scope = match x.scope {
                Scope::Global => "global".to_string(),
                Scope::Local(t) => format!("local of {}", self.templates[t as usize].name),
            };
            let bound = |b: Option<i128>, none: &str| b.map_or(none.to_string(), |b| b.to_string());
            let identity = if x.identity { ", differs by thread" } else { "" };
            let range = format!("{}..{}", bound(x.min, ""), bound(x.max, ""));
            let _ = writeln!(out, "{scope} {}: {range}{identity}", x.name);
        }
        let _ = writeln!(out, "start: {}", self.init.display(|v| self.name(v)));
        for t in self.templates.iter().filter(|t| !t.edges.is_empty()) {
            self.display_template(t, &mut out);
        }
        out
    }
    /// The program as a DOT graph, a cluster for each template.
    pub fn dot(&self) -> String {
        let quote = |s: &str| s.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = String::from("digraph program {\n  node [shape=ellipse];\n");
        for (i, t) in self.templates.iter().enumerate().filter(|(_, t)| !t.edges.is_empty()) {
            let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label=\"{}\";", quote(&t.name));
            for (k, l) in t.locations.iter().enumerate() {
                let place = self.place(l.span);
                let text = match &l.error {
                    Some(e) => format!("l{k}\\n{}\\n{}", quote(e), quote(&place)),
                    None => format!("l{k}\\n{}", quote(&place)),
                };
                let style = if l.error.is_some() {
                    ", shape=box, color=red"
                } else if t.entry.0 as usize == k {
                    ", penwidth=2"
                } else {
                    ""
                };
                let _ = writeln!(out, "    t{i}_{k} [label=\"{text}\"{style}];");
            }
            for e in &t.edges {
                let label = quote(&self.display_edge(e));
                let _ = writeln!(out, "    t{i}_{} -> t{i}_{} [label=\"{label}\"];", e.from.0, e.to.0);
            }
            out.push_str("  }\n");
        }
        out.push_str("}\n");
        out
    }
}
