//! Reads witnesses.

use super::places::Location;
use super::{Constraint, Content, Correctness, Ghost, Invariant, Update, Waypoint, WaypointKind};
use crate::task::property::{self, Property};
use crate::task::yaml::{Source, YamlNode};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::DataModel;

/// A witness as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Version of the format, as the witness says.
    pub version: String,
    /// SHA-256 of each input file.
    pub hashes: Vec<(String, String)>,
    /// The property that it says is violated, or holds.
    pub property: Property,
    /// Widths of `long` and of pointers.
    pub data_model: DataModel,
    /// What it says: a violation, or invariants.
    pub content: Content,
    /// What was read and is not understood: the check cannot decide.
    pub not_understood: Vec<Diagnostic>,
}

/// Reads a witness.
///
/// # Errors
/// What is wrong, and where.
pub fn parse(file: &str, text: &str) -> Result<Witness, Diagnostic> {
    let document = Source { file, text }.parse()?;
    let root = document.root();
    let entries = root.list()?;
    let first = entries.first().ok_or_else(|| root.error("there is no entry", ""))?;
    let head = first.need("metadata")?;
    let version = head.need("format_version")?.text()?.to_string();
    if !matches!(version.as_str(), "2.0" | "2.1" | "2.2") {
        let help = "known are 2.0, 2.1 and 2.2";
        return Err(head.need("format_version")?.error("unknown version of witnesses", help));
    }
    for key in ["uuid", "creation_time"] {
        head.need(key)?.text()?;
    }
    head.need("producer")?.need("name")?.text()?;
    let task = head.need("task")?;
    let line = task.need("specification")?;
    let properties = property::parse(file, line.text()?).map_err(|d| line.error(d.message, ""))?;
    let data_model = match task.need("data_model")?.text()? {
        "ILP32" => DataModel::Ilp32,
        "LP64" => DataModel::Lp64,
        _ => return Err(task.need("data_model")?.error("unknown data model", "")),
    };
    let mut hashes = Vec::new();
    for (k, v) in task.need("input_file_hashes")?.entries()? {
        hashes.push((k.text()?.to_string(), v.text()?.to_string()));
    }
    let (mut violation, mut correctness, mut not_understood) = (None, Correctness::default(), Vec::new());
    for e in &entries {
        let meta = e.need("metadata")?;
        if meta.need("format_version")?.text()? != version {
            return Err(meta.need("format_version")?.error("entries of several versions", ""));
        }
        let kind = e.need("entry_type")?;
        let content = e.need("content")?;
        match kind.text()? {
            "violation_sequence" if violation.is_none() => {
                violation = Some(segments(content, &mut not_understood)?);
            }
            "violation_sequence" => not_understood.push(kind.error("a second run is not read", "")),
            "invariant_set" => {
                for i in content.list()? {
                    match i.get("invariant")? {
                        Some(i) => correctness.invariants.push(invariant(i)?),
                        None => not_understood.push(i.error("only invariants are read here", "")),
                    }
                }
            }
            "ghost_instrumentation" => ghosts(content, &mut correctness)?,
            _ => not_understood.push(kind.error("entries of this type are not read", "")),
        }
    }
    let content = match violation {
        Some(v) => Content::Violation(v),
        None => Content::Correctness(correctness),
    };
    let property = properties.into_iter().next().ok_or_else(|| line.error("no property", ""))?;
    Ok(Witness { version, hashes, property, data_model, content, not_understood })
}

fn segments(content: YamlNode, odd: &mut Vec<Diagnostic>) -> Result<Vec<Waypoint>, Diagnostic> {
    let mut out = Vec::new();
    let list = content.list()?;
    for (k, s) in list.iter().enumerate() {
        let waypoints = s.need("segment")?.list()?;
        let mut follow = None;
        for w in &waypoints {
            let w = w.need("waypoint")?;
            let action = w.need("action")?;
            match action.text()? {
                "follow" if follow.is_none() => follow = Some(waypoint(w, odd)?),
                "follow" => odd.push(action.error("segments with several ways on are not followed", "")),
                "avoid" => odd.push(action.error("waypoints to avoid are not read", "")),
                _ => return Err(action.error("`follow` or `avoid` is needed", "")),
            }
        }
        let w = follow.ok_or_else(|| s.error("no waypoint of this segment is to be followed", ""))?;
        let last = k + 1 == list.len();
        if (w.kind == WaypointKind::Target) != last {
            return Err(s.error("the last segment, and no other, ends in a target", ""));
        }
        out.push(w);
    }
    if out.is_empty() {
        return Err(content.error("no segments", ""));
    }
    Ok(out)
}

fn waypoint(w: YamlNode, odd: &mut Vec<Diagnostic>) -> Result<Waypoint, Diagnostic> {
    let name = w.need("type")?;
    let text = name.text()?;
    let kind = WaypointKind::ALL.iter().find(|k| k.1 == text);
    let kind = kind.ok_or_else(|| name.error(format!("unknown type `{text}`"), ""))?.0;
    if kind == WaypointKind::Branching {
        odd.push(name.error("branches are not followed", ""));
    }
    let constraint = match w.get("constraint")? {
        Some(c) => {
            let value = c.need("value")?;
            // Truth values may stand without quotes.
            let value = value
                .text()
                .map(String::from)
                .or_else(|e| value.truth().map(|t| t.to_string()).map_err(|_| e))?;
            let format =
                c.get("format")?.map(|f| f.text()).transpose()?.unwrap_or("c_expression").to_string();
            Some(Constraint { value, format })
        }
        None => None,
    };
    let thread = match w.get("thread_id")? {
        Some(t) => {
            let id = u32::try_from(t.integer()?);
            Some(id.map_err(|_| t.error("a thread has a number from 0", ""))?)
        }
        None => None,
    };
    Ok(Waypoint { kind, location: location(w.need("location")?)?, constraint, thread })
}

fn ghosts(content: YamlNode, out: &mut Correctness) -> Result<(), Diagnostic> {
    for g in content.need("ghost_variables")?.list()? {
        let fixed = [("scope", "global"), ("type", "int")];
        for (key, want) in fixed {
            if g.need(key)?.text()? != want {
                return Err(g.need(key)?.error(format!("only `{want}` is read"), ""));
            }
        }
        let name = g.need("name")?.text()?.to_string();
        out.ghosts.push(Ghost { name, initial: expression(g.need("initial")?)? });
    }
    for u in content.need("ghost_updates")?.list()? {
        let at = location(u.need("location")?)?;
        for one in u.need("updates")?.list()? {
            let variable = one.need("variable")?;
            let name = variable.text()?.to_string();
            if !out.ghosts.iter().any(|g| g.name == name) {
                return Err(variable.error(format!("`{name}` is no ghost variable"), ""));
            }
            let value = expression(one)?;
            out.updates.push(Update { location: at.clone(), variable: name, value });
        }
    }
    Ok(())
}

/// The C expression that is the value of something.
fn expression(of: YamlNode) -> Result<String, Diagnostic> {
    let format = of.need("format")?;
    if format.text()? != "c_expression" {
        return Err(format.error("only C expressions are read", ""));
    }
    Ok(of.need("value")?.text()?.to_string())
}

fn invariant(i: YamlNode) -> Result<Invariant, Diagnostic> {
    let kind = i.need("type")?;
    let of_loop = match kind.text()? {
        "loop_invariant" => true,
        "location_invariant" => false,
        _ => return Err(kind.error("unknown type of invariants", "")),
    };
    let value = expression(i)?;
    Ok(Invariant { of_loop, location: location(i.need("location")?)?, value })
}

fn location(l: YamlNode) -> Result<Location, Diagnostic> {
    let number = |n: YamlNode| {
        let v = u32::try_from(n.integer()?).ok().filter(|v| *v > 0);
        v.ok_or_else(|| n.error("lines and columns count from 1", ""))
    };
    Ok(Location {
        file: l.need("file_name")?.text()?.to_string(),
        line: number(l.need("line")?)?,
        column: l.get("column")?.map(number).transpose()?,
        function: l.get("function")?.map(|f| f.text().map(String::from)).transpose()?,
    })
}
