//! The monolithic method: one thread whose locations are tuples of the threads' locations (as GPR's tool had it for
//! comparison, "Threader", CAV 2011).

use super::verify;
use crate::aret::precision::{Thread, threads};
use crate::aret::{Method, Settings};
use crate::verdict::{Answer, Counterexample, Reason, Step};
use crate::watch::{Stats, Watch};
use relyant_cfa::schedule::ThreadRef;
use relyant_check::{Proof, Rule};
use relyant_linear::Cube;
use relyant_program::{Count, Edge, Loc, Location, Program, Scope, Template};
use rustc_hash::FxHashMap;

/// Edges a product may have.
const MOST_EDGES: usize = 300_000;

struct Product {
    program: Program,
    /// Locations of all templates, by product location.
    places: Vec<Vec<Loc>>,
    /// Template and edge, by product edge.
    origin: Vec<(u32, u32)>,
}

/// Verifies the product of all threads.
pub fn verify_product(program: &Program, settings: &Settings, watch: &Watch) -> (Answer, Stats) {
    let unknown = |why: Reason| (Answer::Unknown(why), Stats::default());
    let all = threads(program, &[]);
    if all.iter().any(|t| !t.single) {
        return unknown(Reason::UnboundedProduct);
    }
    let Some(product) = build(program, &all) else {
        return unknown(Reason::LargeProduct);
    };
    let inner = Settings { method: Method::RelyGuarantee, ..*settings };
    let (answer, mut stats) = verify(&product.program, &inner, watch);
    stats.modular = false;
    let answer = match answer {
        Answer::Safe(p) => Answer::Safe(proof(&product, &p)),
        Answer::Unsafe(c) => Answer::Unsafe(counterexample(&product, c)),
        unknown => unknown,
    };
    (answer, stats)
}

fn build(program: &Program, threads: &[Thread]) -> Option<Product> {
    let entry: Vec<Loc> = program.templates.iter().map(|t| t.entry).collect();
    let mut index: FxHashMap<Vec<Loc>, u32> = FxHashMap::default();
    index.insert(entry.clone(), 0);
    let mut product = Product { program: program.clone(), places: vec![entry], origin: Vec::new() };
    let mut edges: Vec<Edge> = Vec::new();
    let mut next = 0;
    while next < product.places.len() {
        let place = product.places[next].clone();
        let over = error(program, &place).is_some();
        for t in threads.iter().filter(|_| !over) {
            let template = &program.templates[t.template as usize];
            let from = place[t.template as usize];
            for (k, e) in template.edges.iter().enumerate().filter(|(_, e)| e.from == from) {
                let mut to = place.clone();
                to[t.template as usize] = e.to;
                let fresh = product.places.len() as u32;
                let id = *index.entry(to.clone()).or_insert(fresh);
                if id == fresh {
                    product.places.push(to);
                }
                edges.push(Edge { from: Loc(next as u32), to: Loc(id), ..e.clone() });
                product.origin.push((t.template, k as u32));
                if edges.len() > MOST_EDGES {
                    return None;
                }
            }
        }
        next += 1;
    }
    let locations =
        product.places.iter().map(|p| Location { error: error(program, p), ..Location::default() }).collect();
    product.program.templates = vec![Template {
        name: "all".into(),
        count: Count::AtMost(1),
        identity: None,
        entry: Loc(0),
        locations,
        edges,
    }];
    product.program.exclusive = None;
    product.program.variables.iter_mut().for_each(|v| v.scope = Scope::Global);
    Some(product)
}

/// What is violated at a tuple of locations.
fn error(program: &Program, place: &[Loc]) -> Option<String> {
    let at = |k: usize| &program.templates[k].locations[place[k].0 as usize];
    if let Some(e) = (0..place.len()).find_map(|k| at(k).error.clone()) {
        return Some(e);
    }
    let label = program.exclusive.as_ref()?;
    ((0..place.len()).filter(|k| at(*k).labels.contains(label)).count() >= 2)
        .then(|| format!("two threads at {label}"))
}

fn proof(product: &Product, p: &Proof) -> Proof {
    let mut global = Vec::new();
    for (loc, states) in p.threads.iter().flat_map(|t| &t.invariants) {
        for s in states {
            global.push((product.places[loc.0 as usize].clone(), s.cube.clone()));
        }
    }
    if p.threads.is_empty() {
        // Nobody can move: the start is all there is.
        global.push((product.places[0].clone(), Cube::top()));
    }
    Proof { rule: Rule::Monolithic, modular: false, threads: Vec::new(), tickets: Vec::new(), global }
}

fn counterexample(product: &Product, c: Counterexample) -> Counterexample {
    let steps = c.steps.into_iter().map(|s| {
        let (template, edge) = product.origin[s.edge as usize];
        Step { thread: ThreadRef { template, instance: 0 }, edge, inputs: s.inputs }
    });
    Counterexample { start: c.start, steps: steps.collect() }
}
