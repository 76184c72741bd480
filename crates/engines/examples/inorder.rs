use relyant_cfa::options::Options;
use relyant_engines::{aret, rely_guarantee, verdict::Answer, watch::Watch};
use relyant_frontend::c;
use relyant_frontend::programs::for_proof;
use relyant_program::ordered::*;
use relyant_program::{linearise::Limits, recognisers::Recognisers, thread_program_with};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let path = std::path::Path::new(&a[1]);
    let options = Options::default();
    let module = c::load(path, &options).unwrap();
    let chosen = relyant_frontend::programs::for_proof_chosen(&module, &options);
    println!(
        "chosen: {}",
        match &chosen {
            Ok(Some(_)) => "yes".into(),
            Ok(None) => "none".into(),
            Err(e) => e.to_string(),
        }
    );
    let automata = chosen.ok().flatten().unwrap_or_else(|| for_proof(&module, &options).unwrap());
    let p = thread_program_with(&automata, Limits::touching(), Recognisers::none()).unwrap();
    println!("{} can {}", a[1], has_threads(&p));
    for o in orders(&p) {
        let t = Instant::now();
        let Some(q) = ordered(&p, &o, &mut swap) else {
            println!("{o:?}: too large {:?}", t.elapsed());
            continue;
        };
        println!(
            "{o:?}: {} locations {} edges, {} swaps {:?}",
            q.templates[0].locations.len(),
            q.templates[0].edges.len(),
            q.ordered.as_ref().unwrap().swaps.len(),
            t.elapsed()
        );
        if a.get(2).is_some_and(|x| x == "show") {
            println!("{}", q.display());
        }
        let t = Instant::now();
        let watch = Watch { cancel: &|| t.elapsed().as_secs() >= 5, ..Watch::NONE };
        let (answer, stats) = rely_guarantee::verify(&q, &aret::Settings::default(), &watch);
        match answer {
            Answer::Safe(proof) => {
                println!(
                    "  SAFE {:?} check {:?}",
                    t.elapsed(),
                    relyant_check::check::check(&q, &proof, &Default::default())
                );
                return;
            }
            Answer::Unsafe(c) => {
                println!("  run {:?}", t.elapsed());
                if a.get(2).is_some_and(|x| x == "run") {
                    println!(
                        "start {:?}",
                        c.start.iter().map(|(v, x)| format!("{}={x}", q.name(*v))).collect::<Vec<_>>()
                    );
                    for s in &c.steps {
                        let e = &q.templates[0].edges[s.edge as usize];
                        println!("   line {} {} in {:?}", e.span.line, q.display_edge(e), s.inputs);
                    }
                    return;
                }
            }
            Answer::Unknown(r) => println!("  {r} {:?} {}", t.elapsed(), stats.iterations),
        }
    }
}
