//! Reports as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format).
//!
//! A violation is a result: its place, the places that belong to it (the other access of a race, where threads wait), and a
//! code flow with a thread flow for each thread of the run; `executionOrder` is the order of the run. Verdicts other than
//! *unsafe* are notifications of the invocation: a result would be shown as a finding.

use super::columns::Columns;
use super::findings::{self, Finding, Moved, place};
use super::json::{Document, Entry, PlaceEntry, StepEntry, TraceEntry};
use super::rules::{self, Rule};
use super::story::Does;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What a log says of itself.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of one call of the tool.
pub fn log(document: &Document) -> Value {
    let columns = Columns::default();
    let results: Vec<Value> =
        document.results.iter().flat_map(findings::findings).map(|f| result(&f, &columns)).collect();
    let notes: Vec<Value> = document.results.iter().filter_map(|e| notification(e, &columns)).collect();
    let refused = document.results.iter().any(|e| e.error.is_some());
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": document.tool,
                "version": document.version,
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules::ALL.iter().map(described).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": !refused,
                "toolExecutionNotifications": notes,
            }],
            "originalUriBaseIds": {"SRCROOT": {"description": text("The folder in which the tool was called.")}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn text(s: &str) -> Value {
    json!({ "text": s })
}

fn described(r: &Rule) -> Value {
    let tags: Vec<String> = r.cwe.iter().map(|n| format!("external/cwe/cwe-{n:03}")).collect();
    json!({
        "id": r.id,
        "shortDescription": text(r.says),
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": tags},
    })
}

/// What is said of a file that is not unsafe.
fn notification(e: &Entry, columns: &Columns) -> Option<Value> {
    let whole = || place(&e.file, 0, 0);
    let (level, message, at) = match (&e.error, e.verdict.as_deref()) {
        (Some(d), _) => {
            let help = if d.help.is_empty() { String::new() } else { format!(" ({})", d.help) };
            ("error", format!("{}{help}", d.message), place(&d.file, d.line, d.column))
        }
        (None, Some("safe")) => ("note", format!("safe: {}", e.property), whole()),
        (None, Some("unknown")) => {
            let why = e.reason.as_deref().unwrap_or("no reason was given");
            ("warning", format!("unknown: {why}"), whole())
        }
        _ => return None,
    };
    Some(json!({
        "level": level,
        "message": text(&message),
        "locations": [{ "physicalLocation": physical(&at, columns) }],
        "properties": {"verdict": e.verdict},
    }))
}

fn result(f: &Finding, columns: &Columns) -> Value {
    let mut r = json!({
        "ruleId": f.rule,
        "level": "error",
        "kind": "fail",
        "message": text(&f.said.message),
        "locations": [{"physicalLocation": physical(&f.said.at, columns)}],
    });
    if let Some(index) = rules::ALL.iter().position(|x| x.id == f.rule) {
        r["ruleIndex"] = json!(index);
    }
    if !f.related.is_empty() {
        let numbered = f.related.iter().zip(1..).map(|(s, id): (_, u32)| {
            let mut l = location(&s.at, &s.message, columns);
            l["id"] = json!(id);
            l
        });
        r["relatedLocations"] = numbered.collect();
    }
    if let Some(t) = f.trace {
        r["partialFingerprints"] = json!({ "relyant/v1": fingerprint(t) });
        r["codeFlows"] = json!([code_flow(t, columns)]);
    }
    r
}

/// Stays when lines move: kind, file, and the text of the line.
fn fingerprint(t: &TraceEntry) -> String {
    let at = |s: &&StepEntry| s.file == t.file && s.line == t.line;
    let line = t.steps.iter().rev().find(at).map_or("", |s| s.statement.as_str());
    let mut hash = Sha256::new();
    for part in [&t.kind, &t.file, line] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    data_encoding::HEXLOWER.encode(&hash.finalize())
}

/// The run, a flow for each thread.
fn code_flow(t: &TraceEntry, columns: &Columns) -> Value {
    let mut flows: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut add = |thread, what| match flows.iter_mut().find(|f| f.0 == thread) {
        Some(flow) => flow.1.push(what),
        None => flows.push((thread, vec![what])),
    };
    let steps = findings::steps(t);
    for (n, m) in steps.iter().enumerate() {
        add(t.story.name(m.step.thread), step(n + 1, m, columns));
    }
    let violated = format!("violated: {}", t.violation);
    let last = json!({
        "executionOrder": steps.len() + 1,
        "location": location(&place(&t.file, t.line, t.column), &violated, columns),
        "importance": "essential",
    });
    add(findings::fails(t), last);
    let flows: Vec<Value> = flows
        .into_iter()
        .map(|(name, all)| json!({"id": name, "message": text(&format!("thread {name}")), "locations": all}))
        .collect();
    let start = start(t);
    let mut flow = json!({"message": text("an interleaving that gets there"), "threadFlows": flows});
    if let (false, Some(first)) = (start.is_empty(), flow.pointer_mut("/threadFlows/0")) {
        first["initialState"] = Value::Object(start);
    }
    flow
}

fn step(number: usize, m: &Moved, columns: &Columns) -> Value {
    let writes = m.step.effects.iter().filter(|e| matches!(e.does, Does::Write | Does::Set));
    let state: Map<String, Value> = writes.map(|e| (e.object.clone(), text(&e.value))).collect();
    let important = !state.is_empty() && m.fold.is_none();
    let mut out = json!({
        "executionOrder": number,
        "location": location(&m.said.at, &m.said.message, columns),
        "importance": if important { "important" } else { "unimportant" },
    });
    if !state.is_empty() {
        out["state"] = Value::Object(state);
    }
    out
}

/// Values that nobody had written when they were read.
fn start(t: &TraceEntry) -> Map<String, Value> {
    let reads = t.story.steps.iter().flat_map(|s| &s.effects).filter(|e| e.does == Does::Read);
    let first = reads.filter(|e| e.from.is_none() && !e.own);
    first.map(|e| (e.object.clone(), text(&e.value))).collect()
}

fn location(at: &PlaceEntry, message: &str, columns: &Columns) -> Value {
    json!({ "physicalLocation": physical(at, columns), "message": text(message) })
}

/// A place; one without a line is the whole file.
fn physical(at: &PlaceEntry, columns: &Columns) -> Value {
    let artifact = match at.file.starts_with('/') {
        true => json!({"uri": format!("file://{}", encoded(&at.file))}),
        false => json!({"uri": encoded(&at.file), "uriBaseId": "SRCROOT"}),
    };
    let mut p = json!({ "artifactLocation": artifact });
    if at.line > 0 {
        p["region"] = json!({ "startLine": at.line });
        if let Some(column) = columns.code_points(at) {
            p["region"]["startColumn"] = json!(column);
        }
    }
    p
}

/// What stands for itself in the path of a URI (RFC 3986, section 2.3).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A path as a part of a URI.
pub fn encoded(path: &str) -> String {
    utf8_percent_encode(path, PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(encoded("a b/é.c"), "a%20b/%C3%A9.c");
        let columns = Columns::default();
        assert_eq!(physical(&place("/x/a.c", 0, 0), &columns)["artifactLocation"]["uri"], "file:///x/a.c");
        let p = physical(&place("a.c", 3, 0), &columns);
        assert_eq!((p["region"]["startLine"].as_u64(), p["region"].get("startColumn")), (Some(3), None));
    }
}
