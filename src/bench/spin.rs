//! Spin on a model of the same program, written by hand next to it (`X.pml` beside `X.c`).
//!
//! Spin makes a C program of the model, which is compiled and run: an assertion that fails or an invalid end state
//! is *unsafe*, a search without errors is *safe*.

use super::runner::{RunError, execute};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What spin said of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct SpinRun {
    /// `safe`, `unsafe`, or why there is no answer.
    pub verdict: String,
    /// Seconds of the search itself, the compiler's not counted.
    pub seconds: f64,
    /// How many states it stored, if it says.
    pub states: Option<f64>,
    /// Bytes of a state as stored, overhead included.
    pub state_bytes: Option<f64>,
}

/// The model of a program, if there is one.
pub fn model(file: &Path) -> Option<PathBuf> {
    Some(file.with_extension("pml")).filter(|m| m.is_file())
}

/// Runs spin on a model. Of the verifier's options, `--define` counts.
///
/// # Errors
/// When spin or gcc is not installed.
pub fn run(model: &Path, args: &[String], scratch: &Path, timeout: Duration) -> Result<SpinRun, RunError> {
    let none = |why: &str| Ok(SpinRun { verdict: why.into(), seconds: 0.0, states: None, state_bytes: None });
    let model = model.canonicalize().map_err(|e| RunError::Start(model.into(), e))?;
    let defines = args.windows(2).filter(|w| w[0] == "--define").map(|w| format!("-D{}", w[1]));
    let mut spin = Command::new("spin");
    spin.current_dir(scratch).args(defines).arg("-a").arg(&model);
    if execute(&mut spin, timeout)?.0 != 0 {
        return none("not a model");
    }
    let mut gcc = Command::new("gcc");
    gcc.current_dir(scratch).args(["-O2", "-DSAFETY", "-o", "pan", "pan.c"]);
    if execute(&mut gcc, timeout)?.0 != 0 {
        return none("not compiled");
    }
    let mut pan = Command::new(scratch.join("pan"));
    pan.current_dir(scratch).arg("-m10000000");
    let (_, output, wall) = match execute(&mut pan, timeout) {
        Err(RunError::Hangs(_)) => return none("time-out"),
        other => other?,
    };
    Ok(parse(&output, wall))
}

fn parse(output: &str, wall: f64) -> SpinRun {
    let number = |line: &str| line.split_whitespace().next().and_then(|w| w.parse::<f64>().ok());
    let find = |what: &str| output.lines().find(|l| l.contains(what));
    let states = find("states, stored").and_then(number);
    let mib = find("equivalent memory usage").and_then(number);
    let verdict = match find("errors:").and_then(|l| l.rsplit("errors:").next()).map(str::trim) {
        Some("0") if !output.contains("error: max search depth") => "safe",
        Some(n) if n.parse::<u64>().is_ok_and(|n| n > 0) => "unsafe",
        _ => "unknown",
    };
    SpinRun {
        verdict: verdict.into(),
        seconds: wall,
        states,
        state_bytes: states.zip(mib).filter(|(s, _)| *s > 0.0).map(|(s, m)| m * 1024.0 * 1024.0 / s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
State-vector 36 byte, depth reached 47, errors: 0
  1000 states, stored
  0.061 equivalent memory usage for states (stored*(State-vector + overhead))
";

    #[test]
    fn output_is_read() {
        let r = parse(OUTPUT, 0.5);
        assert_eq!((r.verdict.as_str(), r.states), ("safe", Some(1000.0)));
        assert!((r.state_bytes.unwrap() - 63.96).abs() < 0.1);
        assert_eq!(parse(&OUTPUT.replace("errors: 0", "errors: 1"), 0.5).verdict, "unsafe");
        assert_eq!(parse("error: max search depth too small\nerrors: 0", 0.5).verdict, "unknown");
        assert_eq!(parse("", 0.5).verdict, "unknown");
    }
}
