//! The order: what comes later may be waited for by those who hold what comes earlier.

use super::guards::{Guards, Look};
use super::handles::Handles;
use super::held::{Class, Classes, Held};
use super::places::{For, Wait};
use super::{Failure, NoOrder};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{LocationKind, Op, Program, Template};
use std::collections::{BTreeMap, BTreeSet};

/// What can be held and waited for: the life of a thread of a template, or a lock. Lives come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Thing {
    Life(u32),
    Lock(Class),
}

/// Somebody waits for a thing who may hold another one.
#[derive(Clone, Copy, Debug)]
struct Need {
    held: Thing,
    awaited: Thing,
    template: u32,
    /// The first step of the wait.
    edge: usize,
    span: Span,
}

/// What threads of a program may wait for, and hold meanwhile.
#[derive(Default, Debug)]
pub(super) struct Needs {
    waits: Vec<Need>,
    /// Locks that may be held where a thread ends: template, edge, lock.
    ends: Vec<(u32, usize, Class)>,
    /// Lives of all threads that there are.
    lives: BTreeSet<u32>,
}

impl Needs {
    pub(super) fn add(
        &mut self,
        classes: &Classes<'_>,
        handles: &Handles,
        t: u32,
        template: &Template,
        waits: &[Wait<'_>],
        held: &[Option<Held>],
    ) -> Result<(), Failure> {
        self.lives.insert(t);
        let edges = &template.graph.edges;
        for wait in waits {
            let e = &edges[wait.edge];
            let Some(here) = &held[e.from.0 as usize] else { continue };
            let awaited: Vec<Thing> = match wait.on {
                For::Lock(address) => {
                    vec![Thing::Lock(classes.of(t, address).ok_or((NoOrder::Waits, e.span))?)]
                }
                For::End(handle) => handles.of(t, handle).into_iter().map(Thing::Life).collect(),
            };
            // A handle that nobody was seen to give may have come on a way that is not followed.
            if awaited.is_empty() {
                return Err((NoOrder::Waits, e.span));
            }
            let own = std::iter::once(Thing::Life(t));
            for held in own.chain(here.keys().map(|c| Thing::Lock(*c))) {
                let need = |a: &Thing| Need { held, awaited: *a, template: t, edge: wait.edge, span: e.span };
                self.waits.extend(awaited.iter().map(need));
            }
        }
        for (i, e) in edges.iter().enumerate() {
            let is_end = template.graph.locations[e.to.0 as usize].kind == LocationKind::End;
            if let Some(here) = held[e.from.0 as usize].as_ref().filter(|_| is_end && e.op != Op::Halt) {
                self.ends.extend(here.keys().map(|c| (t, i, *c)));
            }
        }
        Ok(())
    }

    /// An order, in words, and what has to be looked at where it is not told from the automata alone that it is kept.
    pub(super) fn ordered(
        &self,
        program: &Program,
        classes: &Classes<'_>,
    ) -> Result<(Guards, Vec<String>), Failure> {
        let things: Vec<Thing> = self
            .lives
            .iter()
            .map(|t| Thing::Life(*t))
            .chain((0..classes.all.len()).map(Thing::Lock))
            .collect();
        let rank = self.ranks(&things);
        let name = |x: &Thing| match x {
            Thing::Life(t) => {
                let name = &program.templates[*t as usize].name;
                format!("the end of {}", name.split('#').next().unwrap_or(name))
            }
            Thing::Lock(c) => named(program, classes, *c),
        };
        let mut guards = Guards::new();
        for need in self.waits.iter().filter(|n| rank[&n.held] >= rank[&n.awaited]) {
            let look = match need.held {
                Thing::Lock(class) if need.held == need.awaited && classes.single(class).is_none() => {
                    Look::Above(class)
                }
                Thing::Lock(class) => Look::Any(class),
                Thing::Life(_) => {
                    let both: BTreeSet<String> =
                        [need.held, need.awaited].iter().map(|x| format!("`{}`", name(x))).collect();
                    let both = both.into_iter().collect::<Vec<_>>().join(" and ");
                    return Err((NoOrder::Circle(both), need.span));
                }
            };
            guards.entry((need.template, need.edge)).or_default().insert(look);
        }
        for (t, edge, class) in &self.ends {
            guards.entry((*t, *edge)).or_default().insert(Look::Any(*class));
        }
        let mut awaited: Vec<Thing> = self.waits.iter().map(|n| n.awaited).collect();
        awaited.sort_by_key(|x| rank[x]);
        awaited.dedup();
        // Threads of one routine, and the cells of an array, are one each.
        let mut words: Vec<String> = awaited.iter().map(name).collect();
        words.dedup();
        Ok((guards, folded(words)))
    }

    /// The place of each thing in an order that as many needs as possible keep: those that are in no circle do.
    fn ranks(&self, things: &[Thing]) -> BTreeMap<Thing, usize> {
        let mut graph: DiGraph<Thing, ()> = DiGraph::new();
        let nodes: BTreeMap<Thing, NodeIndex> = things.iter().map(|x| (*x, graph.add_node(*x))).collect();
        let needs: BTreeSet<(Thing, Thing)> = self.waits.iter().map(|n| (n.held, n.awaited)).collect();
        for (held, awaited) in needs {
            graph.update_edge(nodes[&held], nodes[&awaited], ());
        }
        let mut rank = BTreeMap::new();
        // The last component comes first.
        for component in tarjan_scc(&graph).into_iter().rev() {
            let mut inside: Vec<Thing> = component.into_iter().map(|n| graph[n]).collect();
            inside.sort();
            for x in inside {
                let next = rank.len();
                rank.insert(x, next);
            }
        }
        rank
    }
}

/// The name of a lock, or of one of those of a class.
fn named(program: &Program, classes: &Classes<'_>, class: Class) -> String {
    let first = classes.all[class].first();
    first.map_or(String::new(), |c| {
        let object = &program.objects[c.object.0 as usize];
        let member = object.cells.get(c.first()).map_or("", |cell| cell.1.as_str());
        match (c.single(), member.strip_prefix("[0]")) {
            (Some(_), _) => format!("{}{member}", object.name),
            (_, Some(member)) => format!("{}[…]{member}", object.name),
            _ => format!("{}[…]", object.name),
        }
    })
}

/// Elements of an array that come one after the other as the first and the last of them.
fn folded(words: Vec<String>) -> Vec<String> {
    let array = |w: &str| w.split_once('[').map(|(name, _)| name.to_string());
    let mut out: Vec<String> = Vec::new();
    for run in words.chunk_by(|a, b| array(a).is_some() && array(a) == array(b)) {
        match run {
            [first, .., last] if run.len() > 2 => out.push(format!("{first} to {last}")),
            _ => out.extend_from_slice(run),
        }
    }
    out
}
