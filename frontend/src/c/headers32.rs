//! Headers for 32-bit x86 where the system has those for 64 bits alone: they are the same files, but for one that lists
//! functions that are stubs.

use super::compiler::{self, Failure, Output};
use super::unit::Folder;
use std::ffi::OsString;
use std::path::Path;

/// A folder of our own, which nobody else has made, with an empty `gnu/stubs-32.h`.
fn stubs() -> Option<Folder> {
    let folder = Folder::new("headers")?;
    std::fs::create_dir(folder.0.join("gnu")).ok()?;
    std::fs::write(folder.0.join("gnu/stubs-32.h"), "/* No stubs. */\n").ok()?;
    Some(folder)
}

/// Preprocesses for 32 bits: as the compiler can, else with the headers for 64 bits behind its own, if it can then.
pub fn run(args: &[OsString]) -> Result<Output, Failure> {
    // A name of the same type that the parser knows.
    let flags = ["-m32", "-D__float128=_Float128"].map(OsString::from);
    let with = |more: &[OsString]| {
        let all: Vec<OsString> =
            flags.iter().cloned().chain(more.iter().cloned()).chain(args.iter().cloned()).collect();
        compiler::run(&all)
    };
    let first = with(&[])?;
    if first.success {
        return Ok(first);
    }
    let machine = compiler::run(&["-print-multiarch"]).ok().filter(|o| o.success);
    let machine = machine.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
    let Some(folder) = stubs() else { return Ok(first) };
    let mut more: Vec<OsString> = Vec::new();
    for path in [&Path::new("/usr/include").join(machine), &folder.0] {
        more.extend(["-idirafter".into(), path.into()]);
    }
    let second = with(&more)?;
    Ok(if second.success { second } else { first })
}
