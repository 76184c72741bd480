//! Place/transition nets in PNML (ISO/IEC 15909-2): reader and writer.
//!
//! Pages are flattened. Inhibitor and reset arcs are those of common editors, `<type value="inhibitor"/>`. The target
//! comes from elsewhere: a line `p >= 1, q >= 2` for each alternative, by the ids of places, or by their names.

use super::{Condition, Net, aim};
use crate::input::{InputError, Place};
use crate::model::{Config, Counts, Initial, Local, Names, System, Target, Transfer, Transition};
use crate::{Unwritable, UnwritableStep};
use roxmltree::{Document, Node};
use rustc_hash::FxHashMap;
use std::fmt::Write;

type Result<T> = std::result::Result<T, InputError>;

/// The type of nets that are read.
const TYPE: &str = "http://www.pnml.org/version-2009/grammar/ptnet";
/// Elements that say nothing of the behaviour.
const SILENT: [&str; 4] = ["name", "graphics", "toolspecific", "text"];

fn at(node: Node) -> Place {
    let p = node.document().text_pos_at(node.range().start);
    Place::new(p.row as usize, p.col as usize)
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|n| n.has_tag_name(name) || n.tag_name().name() == name)
}

/// The number in `<name><text>n</text></name>`, or another.
fn number(node: Node, name: &str, otherwise: u32) -> Result<u32> {
    let Some(n) = child(node, name) else { return Ok(otherwise) };
    let text = child(n, "text").unwrap_or(n).text().unwrap_or("").trim();
    let value: Option<u32> = text.parse().ok().filter(|n| *n < u32::MAX);
    value.ok_or_else(|| InputError::new(at(n), format!("expected a number of tokens, found `{text}`")))
}

fn id<'a>(node: Node<'a, 'a>) -> Result<&'a str> {
    node.attribute("id")
        .ok_or_else(|| InputError::new(at(node), format!("{} without id", node.tag_name().name())))
}

/// A net without a target. Its places have their ids as names.
pub fn pnml(text: &str) -> Result<System> {
    let document = Document::parse(text).map_err(|e| {
        let p = e.pos();
        InputError::new(Place::new(p.row as usize, p.col as usize), format!("not well-formed: {e}"))
    })?;
    let root = document.root_element();
    let mut nets = root.children().filter(|n| n.tag_name().name() == "net");
    let Some(net) = nets.next() else {
        return Err(InputError::new(at(root), "there is no net"));
    };
    if let Some(second) = nets.next() {
        return Err(InputError::new(at(second), "a second net").help("one net a file is supported"));
    }
    match net.attribute("type") {
        Some(TYPE) | None => {}
        Some(other) => {
            return Err(InputError::new(at(net), format!("a net of type {other}"))
                .help("place/transition nets are supported; unfold others"));
        }
    }
    let mut r = Reader::default();
    r.nodes(net)?;
    for arc in std::mem::take(&mut r.arcs) {
        r.arc(arc)?;
    }
    let mut system = System { shared: 1, local: r.names.len() as u32, ..System::default() };
    if r.names.is_empty() {
        return Err(InputError::new(at(net), "there are no places"));
    }
    system.initial = vec![Initial { exactly: Config::new(0, r.marking), any: Vec::new() }];
    system.names = Names { shared: Vec::new(), local: r.names };
    for mut t in r.steps {
        t.absent.sort_unstable();
        t.absent.dedup();
        t.transfers.sort_by_key(|x| x.from);
        t.transfers.dedup();
        system.transitions.push(t);
    }
    Ok(system)
}

#[derive(Default)]
struct Reader<'a> {
    names: Vec<String>,
    marking: Counts,
    places: FxHashMap<&'a str, Local>,
    transitions: FxHashMap<&'a str, usize>,
    steps: Vec<Transition>,
    arcs: Vec<Node<'a, 'a>>,
}

impl<'a> Reader<'a> {
    fn nodes(&mut self, parent: Node<'a, 'a>) -> Result<()> {
        for n in parent.children().filter(Node::is_element) {
            match n.tag_name().name() {
                "page" => self.nodes(n)?,
                "place" => {
                    let l = self.names.len() as Local;
                    self.fresh(n)?;
                    self.places.insert(id(n)?, l);
                    self.names.push(id(n)?.into());
                    self.marking.set(l, number(n, "initialMarking", 0)?);
                }
                "transition" => {
                    self.fresh(n)?;
                    self.transitions.insert(id(n)?, self.steps.len());
                    self.steps.push(Transition { place: at(n), ..Transition::default() });
                }
                "arc" => self.arcs.push(n),
                other if SILENT.contains(&other) => {}
                other => {
                    return Err(InputError::new(at(n), format!("`{other}` is not supported"))
                        .help("pages, places, transitions and arcs are"));
                }
            }
        }
        Ok(())
    }

    fn fresh(&self, n: Node<'a, 'a>) -> Result<()> {
        let name = id(n)?;
        if self.places.contains_key(name) || self.transitions.contains_key(name) {
            return Err(InputError::new(at(n), format!("the id {name} is used twice")));
        }
        Ok(())
    }

    fn arc(&mut self, n: Node<'a, 'a>) -> Result<()> {
        let end = |name: &str| {
            n.attribute(name).ok_or_else(|| InputError::new(at(n), format!("an arc without {name}")))
        };
        let (source, target) = (end("source")?, end("target")?);
        let weight = number(n, "inscription", 1)?;
        let kind = child(n, "type").and_then(|t| t.attribute("value")).unwrap_or("normal");
        let wrong = |message: String| Err(InputError::new(at(n), message));
        let ends = (self.places.get(source), self.transitions.get(target));
        let back = (self.transitions.get(source), self.places.get(target));
        let too_many = || InputError::new(at(n), "too many tokens");
        match (ends, back) {
            ((Some(p), Some(t)), _) => {
                let Some(t) = self.steps.get_mut(*t) else { return Ok(()) };
                match kind {
                    "normal" => t.take.add(*p, weight).ok_or_else(too_many)?,
                    "inhibitor" if weight == 1 => t.absent.push(*p),
                    "inhibitor" => {
                        return wrong(format!("an inhibitor arc of weight {weight} is not supported"));
                    }
                    "reset" => t.transfers.push(Transfer { from: *p, to: Vec::new() }),
                    other => return wrong(format!("arcs of type {other} are not supported")),
                }
            }
            (_, (Some(t), Some(p))) if kind == "normal" => {
                let Some(t) = self.steps.get_mut(*t) else { return Ok(()) };
                t.put.add(*p, weight).ok_or_else(too_many)?;
            }
            (_, (Some(_), Some(_))) => return wrong(format!("arcs of type {kind} lead to transitions")),
            _ => {
                return wrong(format!(
                    "an arc from {source} to {target}, which are not a place and a transition"
                ));
            }
        }
        Ok(())
    }
}

/// Reads a target: `p >= 1, q = 2`, a line for each alternative.
pub fn target(text: &str, mut system: System) -> Result<Net> {
    let names: FxHashMap<String, Local> =
        system.names.local.iter().enumerate().map(|(i, n)| (n.clone(), i as Local)).collect();
    let mut target = Target::new();
    for (i, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        if code.trim().is_empty() {
            continue;
        }
        let place = Place::new(i + 1, 1);
        let mut list = Vec::new();
        for part in code.split(',') {
            let (name, value, exact) = match (part.split_once(">="), part.split_once('=')) {
                (Some((n, v)), _) => (n.trim(), v.trim(), false),
                (None, Some((n, v))) => (n.trim(), v.trim(), true),
                _ => {
                    return Err(InputError::new(
                        place,
                        format!("expected a condition, found `{}`", part.trim()),
                    )
                    .help("write `p >= 1, q >= 2`, an alternative a line"));
                }
            };
            let known = names.get(name);
            let place_of =
                known.ok_or_else(|| InputError::new(place, format!("there is no place {name}")))?;
            let tokens = value.parse().ok().filter(|n: &u32| *n < u32::MAX);
            let tokens = tokens
                .ok_or_else(|| InputError::new(place, format!("expected a number, found `{value}`")))?;
            list.push(Condition { place: *place_of, tokens, exact });
        }
        aim(&mut system, &mut target, &list, place);
    }
    if target.is_empty() {
        return Err(InputError::new(Place::new(1, 1), "there is no target").help("write `p >= 1, q >= 2`"));
    }
    Ok(Net { system, target, assumes: Vec::new() })
}

/// A system as a place/transition net. Shared states become places with one token, and a place with any number of tokens
/// one that a transition fills.
///
/// # Errors
/// Why it cannot be one.
pub fn write_pnml(system: &System) -> std::result::Result<String, Unwritable> {
    let [initial] = system.initial.as_slice() else {
        return Err(Unwritable::SeveralInitial);
    };
    let shared = if system.shared <= 1 { 0 } else { system.shared };
    let local = |l: Local| {
        escape(&if system.names.local.is_empty() { format!("l{l}") } else { system.local_name(l) })
    };
    let state = |s: u32| format!("s{s}");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n<net id=\"net\" type=\"{TYPE}\"><page id=\"page\">\n"
    );
    let place = |id: &str, n: u32, out: &mut String| {
        let marking = format!("<initialMarking><text>{n}</text></initialMarking>");
        let _ = writeln!(out, "<place id=\"{id}\">{}</place>", if n > 0 { marking } else { String::new() });
    };
    (0..shared).for_each(|s| place(&state(s), u32::from(s == initial.exactly.shared), &mut out));
    (0..system.local).for_each(|l| place(&local(l), initial.exactly.locals.get(l), &mut out));
    let mut arcs = 0;
    let mut arc = |from: &str, to: &str, n: u32, kind: &str, out: &mut String| {
        arcs += 1;
        let weight =
            if n > 1 { format!("<inscription><text>{n}</text></inscription>") } else { String::new() };
        let kind = if kind.is_empty() { String::new() } else { format!("<type value=\"{kind}\"/>") };
        let _ = writeln!(out, "<arc id=\"a{arcs}\" source=\"{from}\" target=\"{to}\">{weight}{kind}</arc>");
    };
    for (i, t) in system.transitions.iter().enumerate() {
        let line = t.place.line;
        if t.transfers.iter().any(|x| !x.to.is_empty()) {
            return Err(Unwritable::Step { line, why: UnwritableStep::Transfers });
        }
        if t.absent.iter().any(|l| t.take.get(*l) > 0) {
            return Err(Unwritable::Step { line, why: UnwritableStep::Exact });
        }
        let id = format!("t{i}");
        let _ = writeln!(out, "<transition id=\"{id}\"/>");
        if shared > 0 {
            arc(&state(t.from), &id, 1, "", &mut out);
            arc(&id, &state(t.to), 1, "", &mut out);
        }
        t.take.iter().for_each(|(l, n)| arc(&local(l), &id, n, "", &mut out));
        t.put.iter().for_each(|(l, n)| arc(&id, &local(l), n, "", &mut out));
        t.absent.iter().for_each(|l| arc(&local(*l), &id, 1, "inhibitor", &mut out));
        t.transfers.iter().for_each(|x| arc(&local(x.from), &id, 1, "reset", &mut out));
    }
    if system.has_zero_tests() && !initial.any.is_empty() {
        return Err(Unwritable::AnyAndAbsent);
    }
    for l in &initial.any {
        let id = format!("fill{l}");
        let _ = writeln!(out, "<transition id=\"{id}\"/>");
        arc(&id, &local(*l), 1, "", &mut out);
    }
    out.push_str("</page></net>\n</pnml>\n");
    Ok(out)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text> 2 </text></initialMarking></place>
<place id="q"/>
<transition id="t"/>
<arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
<arc id="b" source="t" target="q"/>
<arc id="c" source="q" target="t"><type value="inhibitor"/></arc>
</page></net></pnml>"#;

    #[test]
    fn reads_and_comes_back() {
        let s = pnml(NET).unwrap();
        assert_eq!((s.local, s.transitions.len()), (2, 1));
        assert_eq!(s.transitions[0].take, Counts::of([0, 0]).unwrap());
        assert_eq!(s.transitions[0].absent, [1]);
        assert_eq!(s.initial[0].exactly.locals, Counts::of([0, 0]).unwrap());
        let back = pnml(&write_pnml(&s).unwrap()).unwrap();
        assert_eq!(back.initial, s.initial);
        assert_eq!(back.transitions[0].take, s.transitions[0].take);
        let net = target("q >= 1\np>=1, q = 0 # or\n", s).unwrap();
        assert_eq!((net.target.len(), net.system.transitions.len()), (2, 2));
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |from: &str, to: &str| pnml(&NET.replace(from, to)).unwrap_err().to_string();
        assert!(error("ptnet", "symmetricnet").starts_with("3:1: a net of type"));
        assert!(error("\"q\" target", "\"t\" target").starts_with("9:1: an arc from t to t"));
        assert!(error("> 2 <", "> two <").starts_with("4:15: expected a number of tokens, found `two`"));
        assert!(
            error("<place id=\"q\"/>", "<referencePlace id=\"q\" ref=\"p\"/>")
                .starts_with("5:1: `referencePlace`")
        );
        assert!(error("</page>", "").contains("not well-formed"));
        let s = pnml(NET).unwrap();
        assert!(target("r >= 1", s).unwrap_err().to_string().contains("there is no place r"));
    }
}
