//! Proofs in an order of preference: of the runs that differ in the order of steps that commute one is looked at, so that facts about several threads at
//! once are facts about one ([`relyant_program::ordered`]); or with all threads, of any number, and each section under a lock as one step. Each order is
//! another program; they take turns.

use crate::aret::Settings;
use crate::engine::{Choice, Claim, Engine, Finding, Needs, Task};
use crate::rely_guarantee::{self, Asked};
use crate::verdict::{Answer, Reason};
use crate::watch::{Standing, Stats, Watch};
use relyant_linear::{Atom, Var};
use relyant_program::Program;
use relyant_program::ghosts::products::with_products;
use relyant_program::ordered::{Commuting, Turns, at_once, has_threads, ordered, orders, preferred, source};
use relyant_program::recognisers::Recogniser;
use std::time::{Duration, Instant};

/// Rounds of turns: the work of each order, and how many orders take part, the most promising ones.
const ROUNDS: [(u64, usize); 4] =
    [(200_000, usize::MAX), (4_000_000, 3), (1_500_000, usize::MAX), (20_000_000, 3)];
/// With ghosts for products this part of the work is done: where they help, a proof is found soon.
const PRODUCTS: u64 = 8;
/// Work that others are ahead by at the start, in which they find most proofs: with so little work they win at once. For as long there is no
/// product that would take a processor from them.
const AHEAD: u64 = 300_000;
/// How often it is asked meanwhile whether others have won.
const TICK: Duration = Duration::from_millis(5);
/// Work of making an edge of a product, roughly.
const EDGE: u64 = 200;

/// What reports say.
pub const NAME: &str = "sequentialisation";

/// The word that asks for it.
const WORDS: [Choice; 1] = [Choice::plain("in-order", "")];

/// Proofs of products in which threads have turns.
#[derive(Clone, Copy, Debug)]
pub struct InOrder(pub Settings);

impl Engine for InOrder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn choices(&self) -> &'static [Choice] {
        &WORDS
    }

    fn needs(&self) -> Needs {
        Needs::Threads
    }

    fn joins(&self, task: &Task<'_>) -> bool {
        task.threads.is_some_and(joins)
    }

    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding {
        let Some(program) = task.threads else { return Finding::nothing(Reason::NoThreads) };
        let (claim, stats) = verify(program, task.predicates, &self.0, watch);
        Finding { claim, standing: Some(Standing::Refined(stats)), seconds: 0.0 }
    }
}

/// Gives others their head start; says whether none of them has won meanwhile.
pub fn let_others_begin(watch: &Watch) -> bool {
    (watch.work)(AHEAD);
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(AHEAD) && !watch.cancelled() {
        std::thread::sleep(TICK);
    }
    !watch.cancelled()
}

/// Can anything come of it?
pub fn joins(program: &Program) -> bool {
    has_threads(program) || at_once(program).is_some()
}

/// One order, as far as it is known.
enum Try {
    New(relyant_program::ordered::Order),
    Made(Box<Program>),
    Failed,
}

impl Try {
    fn of(made: Option<Program>) -> Try {
        made.map_or(Try::Failed, |p| Try::Made(Box::new(p)))
    }
}

/// Comparisons over the variables of the same names.
fn carried(predicates: &[Atom], from: &Program, to: &Program) -> Vec<Atom> {
    let there = |v: Var| {
        let name = &from.variables.get(v.0 as usize)?.name;
        to.variables.iter().position(|x| x.name == *name).map(|k| Var(k as u32))
    };
    let all = predicates.iter().filter(|a| a.vars().all(|v| there(v).is_some()));
    all.map(|a| a.rename(|v| there(v).unwrap_or(v))).collect()
}

/// Looks for an order in which a program has a proof.
fn verify(
    program: &Program,
    predicates: &[Atom],
    settings: &Settings,
    watch: &Watch,
) -> (Result<Claim, Reason>, Stats) {
    let mut commuting = Commuting::default();
    let mut threads: Option<Option<Program>> = None;
    let products = settings.recognisers.has(Recogniser::Products);
    let mut plain: Vec<Try> = orders(program).into_iter().map(Try::New).collect();
    // The same with ghosts for products, which cost where they are of no use.
    let mut multiplied: Vec<Try> = plain.iter().map(|_| Try::Failed).collect();
    let mut reason = Reason::LargeProduct;
    let mut last = Stats::default();
    for (most, orders) in ROUNDS {
        let n = plain.len().min(orders);
        for (k, most, with) in (0..n).flat_map(|k| [(k, most, false), (k, most / PRODUCTS, true)]) {
            if let Try::New(order) = &plain[k] {
                let mut swap = |p: &Program, a, b| commuting.swap(p, a, b);
                let made = if order.turns == Turns::All {
                    ordered(program, order, &mut swap, watch.cancel)
                } else {
                    // All products are made of the same threads.
                    let of = threads.get_or_insert_with(|| source(program, order)).as_ref();
                    let product = of.and_then(|of| preferred(of, order, &mut swap, watch.cancel));
                    product.map(|p| Program { lines: program.lines.clone(), ..p })
                };
                let edges = made.as_ref().and_then(|p| p.templates.first()).map_or(0, |t| t.edges.len());
                (watch.work)(EDGE * edges as u64);
                let more = made.clone().filter(|_| products).map(with_products);
                multiplied[k] = Try::of(more.filter(|p| !p.extensions.is_empty()));
                plain[k] = Try::of(made);
            }
            let one = if with { &mut multiplied[k] } else { &mut plain[k] };
            let Try::Made(product) = one else { continue };
            let given = carried(predicates, program, product);
            let asked = Asked { settings, predicates: &given };
            let (answer, stats) =
                watch.within(most, |part| rely_guarantee::verify_with(product, asked, part));
            last = stats;
            match answer {
                Answer::Safe(proof) => {
                    return (Ok(Claim::Ordered { program: product.clone(), proof }), last);
                }
                Answer::Unknown(_) if watch.cancelled() => return (Err(Reason::Stopped), last),
                Answer::Unknown(Reason::Stopped) => {}
                Answer::Unknown(why) => (*one, reason) = (Try::Failed, why),
                // It may be a run of the relaxed program only; the search looks for others.
                Answer::Unsafe(_) => (*one, reason) = (Try::Failed, Reason::NothingNew),
            }
        }
    }
    (Err(reason), last)
}
