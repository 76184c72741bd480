//! A driver of any length: what nothing depends on does not reach the engines, and reading it takes no time to speak of.

use relyant::pipeline::{Programs, Settings, Verdict, verify_file};
use relyant_cfa::options::Options;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c;
use relyant_testing::driver::driver;
use std::process::Command;

fn programs(lines: usize) -> Programs {
    let options = Options::default();
    let text = driver(lines, true);
    assert!(text.lines().count() >= lines);
    Programs::of(&c::load_text("driver.i", &text, &options).unwrap(), &options).unwrap()
}

/// Variables, locations and edges of the program that is proved, and objects of the one that is searched.
fn size(p: &Programs) -> [usize; 4] {
    let threads = &p.proof.as_ref().unwrap().threads;
    let locations = threads.templates.iter().map(|t| t.locations.len()).sum();
    let edges = threads.templates.iter().map(|t| t.edges.len()).sum();
    [threads.variables.len(), locations, edges, p.search.objects.len()]
}

#[test]
fn engines_see_as_much_of_a_long_driver_as_of_a_short_one() {
    assert_eq!(size(&programs(1_500)), size(&programs(10_000)));
}

#[test]
fn verdicts() {
    let dir = tempfile::tempdir().unwrap();
    for safe in [true, false] {
        let file = dir.path().join("driver.i");
        std::fs::write(&file, driver(2_000, safe)).unwrap();
        let report = verify_file(&file, &Settings::default(), &RunHandle::new(None)).unwrap();
        assert_eq!(report.verdict.word(), if safe { "safe" } else { "unsafe" });
        if let Verdict::Unsafe { trace, .. } = &report.verdict {
            assert_eq!(trace.violation.to_string(), "reach_error");
            assert!(trace.place.0.ends_with("driver.c") && trace.place.1 > 1_000, "{:?}", trace.place);
        }
    }
}

/// From text to engines, by the release build that `RELYANT_BINARY` names: a debug build is slow. A busy machine may be slow
/// now and then.
#[test]
fn ten_thousand_lines_are_read_in_a_second() {
    let Some(binary) = relyant_testing::binary::release() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("driver.i");
    std::fs::write(&file, driver(10_000, true)).unwrap();
    let times: Vec<f64> = (0..3)
        .map(|_| {
            let start = std::time::Instant::now();
            assert!(Command::new(&binary).arg("show").arg(&file).output().unwrap().status.success());
            start.elapsed().as_secs_f64()
        })
        .collect();
    assert!(times.iter().any(|t| *t < 1.0), "{times:?}");
}
