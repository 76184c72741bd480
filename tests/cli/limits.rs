//! Limits and signals end with *unknown*, soon, and with what was found so far.

use super::{SAFE, endless, err, folder, out, relyant};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Starts a run, waits, sends signals with so many milliseconds between them, and gives what it said and how long it took
/// to end.
fn after_signals(signals: &[&str], apart: u64, args: &[&str]) -> (Output, Duration) {
    let dir = folder(&[]);
    let child = relyant(dir.path())
        .args(["verify"])
        .args(args)
        .arg(endless())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Instant::now();
    for (i, signal) in signals.iter().enumerate() {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(apart));
        }
        let kill = Command::new("kill").args([*signal, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }
    let output = child.wait_with_output().unwrap();
    (output, sent.elapsed())
}

#[test]
fn ctrl_c() {
    let (o, time) = after_signals(&["-INT"], 0, &[]);
    let text = out(&o);
    assert_eq!(o.status.code(), Some(3), "{text}");
    assert!(text.contains("reason: interrupted"), "{text}");
    assert!(text.ends_with("verdict: unknown\n"), "{text}");
    assert!(time < Duration::from_secs(10), "{time:?}");
}

#[test]
fn sigterm_in_json() {
    let (o, _) = after_signals(&["-TERM"], 0, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(o.status.code(), Some(3));
    assert_eq!(json["results"][0]["verdict"], "unknown");
    assert!(json["results"][0]["reason"].as_str().unwrap().starts_with("terminated"), "{json}");
    assert_eq!(err(&o), "");
}

/// `timeout` signals the process and then its group, which must not cost the report.
#[test]
fn sigterm_twice() {
    let (o, _) = after_signals(&["-TERM", "-TERM"], 2, &[]);
    let text = out(&o);
    assert_eq!(o.status.code(), Some(3), "{text}");
    assert!(text.contains("reason: terminated") && text.ends_with("verdict: unknown\n"), "{text}");
}

#[test]
fn time() {
    let dir = folder(&[]);
    let start = Instant::now();
    let o = relyant(dir.path()).args(["verify", "--timeout", "3"]).arg(endless()).output().unwrap();
    let text = out(&o);
    assert_eq!(o.status.code(), Some(3), "{text}");
    assert!(text.contains("time limit of 3 s reached"), "{text}");
    assert!(text.contains("so far: "), "{text}");
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn time_is_for_each_file() {
    let dir = folder(&[("s.c", SAFE)]);
    let endless = endless().display().to_string();
    let args = ["verify", "--each", "--timeout", "3", &endless, "s.c"];
    let o = relyant(dir.path()).args(args).output().unwrap();
    let text = out(&o);
    assert!(text.contains("verdict: unknown") && text.ends_with("verdict: safe\n"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory() {
    let dir = folder(&[]);
    let o = relyant(dir.path()).args(["verify", "--memory", "1"]).arg(endless()).output().unwrap();
    let text = out(&o);
    assert_eq!(o.status.code(), Some(3), "{text}");
    assert!(text.contains("memory limit of 1 MiB reached"), "{text}");
}
