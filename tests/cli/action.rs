//! The action for GitHub: its description, and the script of its steps as a runner calls it.

use super::{SAFE, UNSAFE, WRONG, endless, folder, schema};
use saphyr::{LoadableYamlNode, Yaml};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A job in which the action is a step.
struct Job(tempfile::TempDir);

/// What came of the step.
struct Done {
    output: Output,
    /// What later steps read.
    outputs: Vec<(String, String)>,
    summary: String,
}

impl Job {
    fn new(files: &[(&str, &str)]) -> Job {
        let dir = folder(files);
        fs::create_dir(dir.path().join("bin")).unwrap();
        symlink(relyant_testing::relyant!(), dir.path().join("bin/relyant")).unwrap();
        Job(dir)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a step of the script with these inputs; others are as `action.yml` has them.
    fn step(&self, step: &str, given: &[(&str, &str)]) -> Done {
        let mut c = Command::new(root().join("scripts/action"));
        c.arg(step).current_dir(self.0.path());
        for (name, default) in inputs() {
            let value = given.iter().find(|g| g.0 == name).map_or(default.as_str(), |g| g.1);
            c.env(variable(&name), value);
        }
        let path = format!("{}:{}", self.at("bin").display(), std::env::var("PATH").unwrap());
        c.env("PATH", path).env("RUNNER_TEMP", self.at("temp"));
        for file in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"] {
            fs::write(self.at(file), "").unwrap();
            c.env(file, self.at(file));
        }
        let output = c.output().unwrap();
        let lines = fs::read_to_string(self.at("GITHUB_OUTPUT")).unwrap();
        let outputs = lines.lines().map(|l| l.split_once('=').unwrap());
        let outputs = outputs.map(|(a, b)| (a.to_string(), b.to_string())).collect();
        Done { output, outputs, summary: fs::read_to_string(self.at("GITHUB_STEP_SUMMARY")).unwrap() }
    }

    fn verify(&self, files: &str, more: &[(&str, &str)]) -> Done {
        self.step("verify", &[&[("files", files)], more].concat())
    }
}

impl Done {
    fn get(&self, name: &str) -> &str {
        self.outputs.iter().find(|o| o.0 == name).map_or("", |o| &o.1)
    }
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.get(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
    fn ended(&self) -> (Option<i32>, &str) {
        (self.output.status.code(), self.get("verdict"))
    }
}

/// What the action's description says.
fn description() -> Yaml<'static> {
    let text: &'static str = fs::read_to_string(root().join("action.yml")).unwrap().leak();
    Yaml::load_from_str(text).unwrap().remove(0)
}

fn keys(y: &Yaml) -> BTreeSet<String> {
    y.as_mapping().unwrap().keys().map(|k| k.as_str().unwrap().to_string()).collect()
}

/// The action's inputs, with their defaults.
fn inputs() -> Vec<(String, String)> {
    let d = description();
    let all = &d["inputs"];
    keys(all).into_iter().map(|k| (k.clone(), all[k.as_str()]["default"].as_str().unwrap().into())).collect()
}

/// In which a runner would give an input.
fn variable(input: &str) -> String {
    format!("INPUT_{}", input.to_uppercase().replace('-', "_"))
}

/// The names `x` in `${{ what.x }}` of a text, and what comes after them.
fn named<'t>(text: &'t str, what: &str) -> Vec<&'t str> {
    let names = text.match_indices(what).map(|(at, _)| &text[at + what.len()..]);
    names.map(|r| r.split(|c: char| c.is_whitespace() || "}&|".contains(c)).next().unwrap()).collect()
}

/// What GitHub's documentation of the file demands, and that all names in it lead somewhere.
#[test]
fn the_description_holds_together() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let d = description();
    let known = ["name", "description", "author", "branding", "inputs", "outputs", "runs"];
    assert!(keys(&d).iter().all(|k| known.contains(&k.as_str())), "{:?}", keys(&d));
    for input in d["inputs"].as_mapping().unwrap().values() {
        assert!(keys(input).is_subset(&["default", "description", "required"].map(String::from).into()));
        assert!(!input["description"].as_str().unwrap().is_empty());
    }
    let declared: BTreeSet<String> = inputs().into_iter().map(|i| i.0).collect();
    let used: BTreeSet<String> = named(&text, "inputs.").into_iter().map(String::from).collect();
    assert_eq!(declared, used);

    assert_eq!(d["runs"]["using"].as_str(), Some("composite"));
    let steps = d["runs"]["steps"].as_sequence().unwrap();
    let script = fs::read_to_string(root().join("scripts/action")).unwrap();
    let mut passed = BTreeSet::new();
    for step in steps {
        let has = keys(step);
        assert!(has.contains("uses") != has.contains("run") && has.contains("run") == has.contains("shell"));
        for (name, value) in step.as_mapping_get("env").and_then(Yaml::as_mapping).into_iter().flatten() {
            let (name, value) = (name.as_str().unwrap(), value.as_str().unwrap());
            let [input] = named(value, "inputs.")[..] else { panic!("{value}") };
            assert_eq!(name, variable(input));
            assert!(script.contains(&format!("${name}")), "{name} is not used");
            passed.insert(name.to_string());
        }
    }
    // What the script reads is given to it.
    let read = named(&script, "$INPUT_").into_iter().map(|r| {
        let end = r.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(r.len());
        format!("INPUT_{}", &r[..end])
    });
    assert_eq!(read.collect::<BTreeSet<_>>(), passed);

    let ids: BTreeSet<&str> = steps.iter().filter_map(|s| s.as_mapping_get("id")?.as_str()).collect();
    for used in named(&text, "steps.") {
        let (id, output) = used.split_once(".outputs.").unwrap();
        assert!(ids.contains(id) && keys(&d["outputs"]).contains(output), "{used}");
    }
}

#[test]
fn verdicts_fail_the_step_where_they_are_to() {
    let job = Job::new(&[("s.c", SAFE), ("u.c", UNSAFE), ("w.c", WRONG)]);
    let unknown = endless().display().to_string();
    let short = ("options", "--method search --max-states 10 --search '1'");
    for (fail_on, codes) in [("unsafe", [0, 1, 0, 2]), ("unknown", [0, 1, 3, 2]), ("never", [0, 0, 0, 2])] {
        let on = ("fail-on", fail_on);
        assert_eq!(job.verify("s.c", &[on]).ended(), (Some(codes[0]), "safe"));
        assert_eq!(job.verify("u.c", &[on]).ended(), (Some(codes[1]), "unsafe"));
        assert_eq!(job.verify(&unknown, &[on, short]).ended(), (Some(codes[2]), "unknown"));
        assert_eq!(job.verify("w.c", &[on]).ended(), (Some(codes[3]), "refused"));
    }
    for wrong in [("fail-on", "always"), ("files", ""), ("options", "-D 'x"), ("options", "--no-such")] {
        let done = job.step("verify", &[wrong, ("files", "s.c")]);
        assert_eq!(done.output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn reports_are_there_for_later_steps() {
    let job = Job::new(&[("a b.c", SAFE), ("u1.c", UNSAFE), ("u2.c", UNSAFE), ("w.c", WRONG)]);
    let done = job.verify("a b.c\nu*.c\nw.c", &[("each", "true"), ("html", "true")]);
    assert_eq!(done.ended(), (Some(2), "refused"));
    let log: serde_json::Value = serde_json::from_str(&done.read("sarif")).unwrap();
    assert_eq!(schema::errors(&schema::schema("sarif-2.1.0.json"), &log), [""; 0]);
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 2);
    assert!(done.read("junit").contains("tests=\"4\" failures=\"2\" errors=\"1\""));
    assert!(done.read("html").starts_with("<!DOCTYPE html>"));
    assert!(done.summary.starts_with("### Relyant: 1 refused, 2 unsafe, 1 safe\n"), "{}", done.summary);
    assert_eq!(done.summary.matches("<details>").count(), 2);
    let said = super::out(&done.output);
    assert!(said.contains("verdict: unsafe") && said.contains("::error title=Relyant::"), "{said}");

    // A project as it is compiled, without pages.
    let database = r#"[{"directory": ".", "file": "a b.c", "arguments": ["cc", "-c", "a b.c"]}]"#;
    fs::write(job.at("compile_commands.json"), database).unwrap();
    let done = job.step("verify", &[("project", ".")]);
    assert_eq!((done.ended(), done.get("html")), ((Some(0), "safe"), ""), "{}", super::err(&done.output));
}

#[test]
fn what_is_installed_is_taken() {
    let job = Job::new(&[]);
    assert_eq!(job.step("install", &[("version", "installed")]).output.status.code(), Some(0));
    assert_eq!(job.step("uninstall", &[]).output.status.code(), Some(2));
}
