//! Runs as people read them, one for each kind of bug: the programs are in `golden/runs`, each with its report beside it.
//! The first line of a program is its property. `BLESS=1 cargo test --test cli runs` writes the reports anew.

use super::{err, out, relyant};
use relyant::report::json::Document;
use relyant::report::story::{Page, steps_as_text};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden/runs")
}

/// The report on a program of the folder, as it is when nobody is at a terminal.
fn report(name: &str) -> String {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let property = text.lines().next().and_then(|l| l.strip_prefix("// ")).unwrap();
    let o = relyant(&folder()).args(["verify", "--property", property, name]).output().unwrap();
    assert_eq!(o.status.code(), Some(1), "{name}: {}", err(&o));
    out(&o)
}

fn check(name: &str) {
    let text = report(&format!("{name}.c"));
    let path = folder().join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
    assert!(text.lines().count() <= 25, "{name}: {} lines", text.lines().count());
    // What comes after `violated:` names files, as wide as they are.
    let steps = text.lines().take_while(|l| !l.starts_with("violated:"));
    let long = steps.clone().find(|l| l.chars().count() > 100);
    assert_eq!(long, None, "{name}");
}

macro_rules! golden {
    ($($name:ident)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

golden! {
    aba barrier bounds deadlock double_free earlier_round filled frees handles leak leak_in_thread leak_list leak_overwritten lock_order loop_folded lost_update missed_post missed_wakeup order
    overflow race readers_writer semaphore_order semaphore_reset spurious_wakeup time_out use_after_free values
}

/// The run of a program in columns, where a terminal is so wide.
fn columns(name: &str, width: usize) {
    let property = std::fs::read_to_string(folder().join(format!("{name}.c"))).unwrap();
    let property = property.lines().next().and_then(|l| l.strip_prefix("// ")).unwrap();
    let file = format!("{name}.c");
    let o = relyant(&folder())
        .args(["verify", "--format", "json", "--property", property, &file])
        .output()
        .unwrap();
    let doc: Document = serde_json::from_slice(&o.stdout).unwrap();
    let trace = doc.results[0].trace.as_ref().unwrap();
    let text = steps_as_text(&trace.story, &trace.file, Page { width, full: false });
    let text = anstream::adapter::strip_str(&text).to_string();
    let path = folder().join(format!("{name}_{width}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
    assert_eq!(text.lines().find(|l| l.chars().count() > width), None, "{name}");
}

#[test]
fn terminals_may_be_narrow_or_wide() {
    for width in [60, 200] {
        for name in ["aba", "lock_order", "lost_update"] {
            columns(name, width);
        }
    }
}

fn document(name: &str) -> Document {
    let o = relyant(&folder()).args(["verify", "--format", "json", name]).output().unwrap();
    serde_json::from_slice(&o.stdout).unwrap()
}

#[test]
fn values_in_json_are_told_as_in_the_source() {
    let doc = document("values.c");
    let steps = &doc.results[0].trace.as_ref().unwrap().steps;
    let changes = steps.iter().flat_map(|s| &s.changes);
    let texts: Vec<(&str, &str)> = changes.clone().map(|c| (c.name.as_str(), c.text.as_str())).collect();
    for told in [
        ("color", "BLUE"),
        ("width", "2.5"),
        ("below", "-7"),
        ("byte", "200"),
        ("where", "&corners[1]"),
        ("name", "\"first\""),
        ("routine", "&work"),
    ] {
        assert!(texts.contains(&told), "{told:?}: {texts:?}");
    }
    assert!(changes.clone().any(|c| c.name == "color" && c.value == 6));
}

#[test]
fn reads_of_earlier_rounds_are_not_stale() {
    let doc = document("earlier_round.c");
    let story = &doc.results[0].trace.as_ref().unwrap().story;
    let reads = || story.steps.iter().flat_map(|s| &s.effects);
    assert!(reads().any(|e| e.object == "state" && e.value == "0") && reads().all(|e| e.stale.is_none()));
}

#[test]
fn json_has_the_story() {
    let doc = document("lost_update.c");
    let story = &doc.results[0].trace.as_ref().unwrap().story;
    let names: Vec<&str> = story.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["main", "t1", "t2"]);
    let stale: Vec<_> = story.steps.iter().flat_map(|s| &s.effects).filter_map(|e| e.stale).collect();
    let [by] = stale[..] else { panic!("one stale read: {stale:?}") };
    assert!(story.steps[by].effects.iter().any(|e| e.object == "n" && e.value == "1"));
    // A read names the step whose write it saw.
    let last = story.steps.iter().rev().flat_map(|s| &s.effects).find(|e| e.object == "n").unwrap();
    let from = last.from.unwrap();
    assert!(from > by && story.steps[from].effects.iter().any(|e| e.object == "n" && e.value == last.value));
}
