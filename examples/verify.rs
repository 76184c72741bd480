//! Verifies C files and prints what is found: `cargo run --example verify -- FILE.c...`

use relyant::{Options, Verdict, verify_file};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let options = Options { timeout: Some(Duration::from_secs(60)), ..Options::default() };
    let mut all_safe = true;
    for path in std::env::args().skip(1) {
        let verified = match verify_file(&path, &options) {
            Ok(verified) => verified,
            Err(e) => {
                eprintln!("{e}");
                return ExitCode::from(2);
            }
        };
        println!("{path}: {}", verified.verdict().word());
        for line in &verified.report.assumes {
            println!("  assumes: {line}");
        }
        match verified.verdict() {
            Verdict::Safe(_) => {}
            Verdict::Unsafe { trace, .. } => {
                all_safe = false;
                for step in &trace.steps {
                    println!("  {} line {}: {}", step.thread_name, step.line, step.statement);
                }
                println!("  violated: {} at line {}", trace.violation, trace.place.1);
            }
            Verdict::Unknown(why) => {
                all_safe = false;
                println!("  {why}");
            }
        }
    }
    if all_safe { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
