//! Witnesses as YAML.

use super::metadata::Metadata;
use super::places::Location;
use super::{Constraint, Content, Correctness, Invariant, Waypoint};
use relyant_cfa::options::DataModel;
use std::fmt::Write;

/// A string, quoted: JSON's quotation is one of YAML's.
fn quoted(s: &str) -> String {
    serde_json::to_string(s).unwrap_or_else(|_| "\"\"".into())
}

/// The text of a witness; `comment` lines come first.
pub fn text(meta: &Metadata, content: &Content, comment: &[String]) -> String {
    let mut entries = Vec::new();
    let mut body = String::new();
    match content {
        Content::Violation(waypoints) => {
            waypoints.iter().for_each(|w| waypoint(&mut body, w));
            entries.push(("violation_sequence", body));
        }
        Content::Correctness(c) => {
            c.invariants.iter().for_each(|i| invariant(&mut body, i));
            if !c.ghosts.is_empty() {
                entries.push(("ghost_instrumentation", ghosts(c)));
            }
            entries.push(("invariant_set", body));
        }
    };
    let mut out = String::new();
    for line in comment {
        let _ = writeln!(out, "# {line}");
    }
    for (kind, body) in entries {
        entry(&mut out, meta, kind, &body);
    }
    out
}

fn entry(out: &mut String, meta: &Metadata, kind: &str, body: &str) {
    let model = match meta.data_model {
        DataModel::Lp64 => "LP64",
        DataModel::Ilp32 => "ILP32",
    };
    let _ = writeln!(out, "- entry_type: {}", quoted(kind));
    let _ = writeln!(out, "  metadata:");
    let _ = writeln!(out, "    format_version: {}", quoted(&meta.version));
    let _ = writeln!(out, "    uuid: {}", quoted(&meta.uuid(body)));
    let _ = writeln!(out, "    creation_time: {}", quoted(&meta.time()));
    let _ = writeln!(out, "    producer:");
    let _ = writeln!(out, "      name: \"Relyant\"");
    let _ = writeln!(out, "      version: {}", quoted(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(out, "    task:");
    let _ = writeln!(out, "      input_files:");
    let _ = writeln!(out, "        - {}", quoted(&meta.file));
    let _ = writeln!(out, "      input_file_hashes:");
    let _ = writeln!(out, "        {}: {}", quoted(&meta.file), quoted(&meta.hash));
    let _ = writeln!(out, "      specification: {}", quoted(&meta.specification));
    let _ = writeln!(out, "      data_model: {}", quoted(model));
    let _ = writeln!(out, "      language: \"C\"");
    let _ = writeln!(out, "  content:{}", if body.is_empty() { " []" } else { "" });
    *out += body;
}

fn ghosts(c: &Correctness) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "    ghost_variables:");
    for g in &c.ghosts {
        let _ = writeln!(out, "      - name: {}", quoted(&g.name));
        let _ = writeln!(out, "        scope: \"global\"\n        type: \"int\"\n        initial:");
        let _ = writeln!(out, "          value: {}\n          format: \"c_expression\"", quoted(&g.initial));
    }
    let _ = writeln!(out, "    ghost_updates:{}", if c.updates.is_empty() { " []" } else { "" });
    for u in &c.updates {
        let mut at = String::new();
        location(&mut at, &u.location, "        ");
        let _ = write!(out, "      - {}", at.trim_start());
        let _ = writeln!(out, "        updates:\n          - variable: {}", quoted(&u.variable));
        let _ =
            writeln!(out, "            value: {}\n            format: \"c_expression\"", quoted(&u.value));
    }
    out
}

fn location(out: &mut String, l: &Location, pad: &str) {
    let _ = writeln!(out, "{pad}location:");
    let _ = writeln!(out, "{pad}  file_name: {}", quoted(&l.file));
    let _ = writeln!(out, "{pad}  line: {}", l.line);
    if let Some(c) = l.column {
        let _ = writeln!(out, "{pad}  column: {c}");
    }
    if let Some(f) = &l.function {
        let _ = writeln!(out, "{pad}  function: {}", quoted(f));
    }
}

fn waypoint(out: &mut String, w: &Waypoint) {
    let pad = "          ";
    let _ = writeln!(out, "    - segment:\n      - waypoint:");
    let _ = writeln!(out, "{pad}type: {}", quoted(w.kind.name()));
    let _ = writeln!(out, "{pad}action: \"follow\"");
    if let Some(t) = w.thread {
        let _ = writeln!(out, "{pad}thread_id: {t}");
    }
    location(out, &w.location, pad);
    if let Some(Constraint { value, format }) = &w.constraint {
        let _ = writeln!(out, "{pad}constraint:");
        let _ = writeln!(out, "{pad}  value: {}", quoted(value));
        let _ = writeln!(out, "{pad}  format: {}", quoted(format));
    }
}

fn invariant(out: &mut String, i: &Invariant) {
    let pad = "        ";
    let kind = if i.of_loop { "loop_invariant" } else { "location_invariant" };
    let _ = writeln!(out, "    - invariant:");
    let _ = writeln!(out, "{pad}type: {}", quoted(kind));
    location(out, &i.location, pad);
    let _ = writeln!(out, "{pad}value: {}", quoted(&i.value));
    let _ = writeln!(out, "{pad}format: \"c_expression\"");
}
