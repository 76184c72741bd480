//! Witnesses as YAML.

use super::metadata::Metadata;
use super::places::Location;
use super::{Constraint, Content, Invariant, Waypoint};
use relyant_frontend::options::DataModel;
use std::fmt::Write;

/// A string, quoted: JSON's quotation is one of YAML's.
fn quoted(s: &str) -> String {
    serde_json::to_string(s).unwrap_or_else(|_| "\"\"".into())
}

/// The text of a witness; `comment` lines come first.
pub fn text(meta: &Metadata, content: &Content, comment: &[String]) -> String {
    let mut body = String::new();
    let entry = match content {
        Content::Violation(waypoints) => {
            waypoints.iter().for_each(|w| waypoint(&mut body, w));
            "violation_sequence"
        }
        Content::Correctness(invariants) => {
            invariants.iter().for_each(|i| invariant(&mut body, i));
            "invariant_set"
        }
    };
    let model = match meta.data_model {
        DataModel::Lp64 => "LP64",
        DataModel::Ilp32 => "ILP32",
    };
    let mut out = String::new();
    for line in comment {
        let _ = writeln!(out, "# {line}");
    }
    let _ = writeln!(out, "- entry_type: {}", quoted(entry));
    let _ = writeln!(out, "  metadata:");
    let _ = writeln!(out, "    format_version: {}", quoted(&meta.version));
    let _ = writeln!(out, "    uuid: {}", quoted(&meta.uuid(&body)));
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
    out + &body
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
