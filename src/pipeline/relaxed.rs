//! Whether a verdict rests on sequential consistency: where it does, a report says so, and what to ask for instead.

use super::Settings;
use super::programs::{Told, told};
use relyant_cfa::options::{MemoryModel, Options};
use relyant_cfa::{LocationKind, Op, Program, Shown};
use relyant_engines::limits::RunHandle;
use relyant_frontend::c;
use relyant_frontend::c::unit::Unit;
use relyant_frontend::programs::for_proof;

/// What is said where it does.
const NOTE: &str = "memory is sequentially consistent; on x86 threads may see a load overtake a store: --memory-model tso asks about \
                    that";

/// A line for the report of a safe program: a load may overtake a store under x86-TSO, and another thread can tell. The
/// program is read once more for that, as it is there. Where a search does not find out, a program without locks has the
/// line.
pub(super) fn note(
    unit: Unit<'_>,
    program: &Program,
    settings: &Settings,
    run: &RunHandle,
) -> Option<String> {
    let meaning = &settings.meaning;
    if meaning.memory_model != MemoryModel::Sc || program.templates.len() < 2 || !several_shared(program) {
        return None;
    }
    let tso = Options { memory_model: MemoryModel::Tso, robust: true, ..meaning.clone() };
    let attacks = for_proof(&c::load(unit, &tso).ok()?, &tso).ok()?;
    let stays = |t: &relyant_cfa::Template| t.graph.locations.iter().any(is_attack);
    if !attacks.templates.iter().any(stays) {
        return None;
    }
    let tells = match told(&attacks, &|| run.stopped())? {
        Told::Yes => true,
        Told::No => false,
        Told::Unknown => !has_locks(program),
    };
    tells.then(|| NOTE.into())
}

/// Where a load may overtake a store there is a limit for whoever can tell.
fn is_attack(l: &relyant_cfa::Location) -> bool {
    matches!(l.kind, LocationKind::Limit(_))
}

/// A store and a load that overtakes it are of two cells that threads share.
fn several_shared(program: &Program) -> bool {
    let shared =
        |o: &usize| program.owners[*o] == relyant_cfa::Owner::Shared && !program.objects[*o].synthetic;
    let cells: usize =
        (0..program.objects.len()).filter(shared).map(|o| program.objects[o].cells.len()).sum();
    let creates = |t: &relyant_cfa::Template| t.graph.edges.iter().any(|e| matches!(e.op, Op::Create { .. }));
    let several =
        program.templates.iter().any(creates) || program.templates.iter().filter(|t| t.initial).count() > 1;
    cells > 1 && several
}

fn has_locks(program: &Program) -> bool {
    let objects = program.objects.iter();
    objects.flat_map(|o| (0..o.cells.len() as u32).map(|k| o.look.of(k))).any(|s| *s == Shown::Owner)
}
