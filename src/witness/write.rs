//! Witnesses as YAML.

use super::metadata::Metadata;
use super::places::Location;
use super::{Content, Correctness, Ghost, Invariant, Update, Waypoint};
use relyant_cfa::options::DataModel;
use saphyr::{Scalar, Yaml, YamlEmitter};

/// The format of C expressions.
const EXPRESSION: &str = "c_expression";

fn text_of(s: &str) -> Yaml<'_> {
    Yaml::Value(Scalar::String(s.into()))
}

fn number(n: u32) -> Yaml<'static> {
    Yaml::Value(Scalar::Integer(n.into()))
}

fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Yaml<'a>)>) -> Yaml<'a> {
    Yaml::Mapping(entries.into_iter().map(|(k, v)| (text_of(k), v)).collect())
}

fn list<'a, T>(of: &'a [T], f: impl Fn(&'a T) -> Yaml<'a>) -> Yaml<'a> {
    Yaml::Sequence(of.iter().map(f).collect())
}

/// One document; a string takes all that is written to it.
fn document(y: &Yaml<'_>) -> String {
    let mut out = String::new();
    let mut emitter = YamlEmitter::new(&mut out);
    emitter.quoted_value(true);
    match emitter.dump(y) {
        Ok(()) => out + "\n",
        Err(_) => String::new(),
    }
}

/// The text of a witness; `comment` lines come first.
pub fn text(meta: &Metadata, content: &Content, comment: &[String]) -> String {
    let entries = match content {
        Content::Violation(waypoints) => {
            vec![entry(meta, "violation_sequence", list(waypoints, waypoint))]
        }
        Content::Correctness(c) => {
            let ghosts = (!c.ghosts.is_empty()).then(|| entry(meta, "ghost_instrumentation", ghosts(c)));
            ghosts.into_iter().chain([entry(meta, "invariant_set", list(&c.invariants, invariant))]).collect()
        }
    };
    let comment: String = comment.iter().map(|line| format!("# {line}\n")).collect();
    comment + &document(&Yaml::Sequence(entries))
}

fn entry<'a>(meta: &'a Metadata, kind: &'a str, content: Yaml<'a>) -> Yaml<'a> {
    let model = match meta.data_model {
        DataModel::Lp64 => "LP64",
        DataModel::Ilp32 => "ILP32",
    };
    let owned = |s: String| Yaml::Value(Scalar::String(s.into()));
    let producer = map([("name", text_of("Relyant")), ("version", text_of(env!("CARGO_PKG_VERSION")))]);
    let task = map([
        ("input_files", Yaml::Sequence(vec![text_of(&meta.file)])),
        ("input_file_hashes", map([(meta.file.as_str(), text_of(&meta.hash))])),
        ("specification", text_of(&meta.specification)),
        ("data_model", text_of(model)),
        ("language", text_of("C")),
    ]);
    let metadata = map([
        ("format_version", text_of(&meta.version)),
        ("uuid", owned(meta.uuid(&document(&content)))),
        ("creation_time", owned(meta.time())),
        ("producer", producer),
        ("task", task),
    ]);
    map([("entry_type", text_of(kind)), ("metadata", metadata), ("content", content)])
}

fn ghosts(c: &Correctness) -> Yaml<'_> {
    map([("ghost_variables", list(&c.ghosts, ghost)), ("ghost_updates", list(&c.updates, update))])
}

fn ghost(g: &Ghost) -> Yaml<'_> {
    let initial = map([("value", text_of(&g.initial)), ("format", text_of(EXPRESSION))]);
    map([
        ("name", text_of(&g.name)),
        ("scope", text_of("global")),
        ("type", text_of("int")),
        ("initial", initial),
    ])
}

fn update(u: &Update) -> Yaml<'_> {
    let written = map([
        ("variable", text_of(&u.variable)),
        ("value", text_of(&u.value)),
        ("format", text_of(EXPRESSION)),
    ]);
    map([("location", location(&u.location)), ("updates", Yaml::Sequence(vec![written]))])
}

fn location(l: &Location) -> Yaml<'_> {
    let column = l.column.map(|c| ("column", number(c)));
    let function = l.function.as_ref().map(|f| ("function", text_of(f)));
    map([("file_name", text_of(&l.file)), ("line", number(l.line))].into_iter().chain(column).chain(function))
}

fn waypoint(w: &Waypoint) -> Yaml<'_> {
    let thread = w.thread.map(|t| ("thread_id", number(t)));
    let constraint = w
        .constraint
        .as_ref()
        .map(|c| ("constraint", map([("value", text_of(&c.value)), ("format", text_of(&c.format))])));
    let head = [("type", text_of(w.kind.name())), ("action", text_of("follow"))].into_iter().chain(thread);
    let waypoint = map(head.chain([("location", location(&w.location))]).chain(constraint));
    map([("segment", Yaml::Sequence(vec![map([("waypoint", waypoint)])]))])
}

fn invariant(i: &Invariant) -> Yaml<'_> {
    let kind = if i.of_loop { "loop_invariant" } else { "location_invariant" };
    let of = map([
        ("type", text_of(kind)),
        ("location", location(&i.location)),
        ("value", text_of(&i.value)),
        ("format", text_of(EXPRESSION)),
    ]);
    map([("invariant", of)])
}
