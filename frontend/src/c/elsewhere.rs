//! Sources that were written for something else: another language, another system. They are refused in words that say what
//! to do instead.

use std::path::Path;

/// What a file is by its ending where that is no C, and what to do.
pub fn language(path: &Path) -> Option<(&'static str, &'static str)> {
    let c = "name a C file: .c, or .i when preprocessed";
    let cpp = "C++ is another language: write what is to be verified, or a harness that calls it, in C";
    Some(match path.extension()?.to_str()? {
        "bp" => ("Boolean programs", c),
        "tts" | "prop" => ("thread transition systems", c),
        "spec" | "pnml" => ("Petri nets", c),
        "timbuk" | "tbk" => ("rewriting systems", c),
        "yml" | "yaml" => ("task definitions", c),
        "cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "hh" | "hxx" | "ii" => ("C++ sources", cpp),
        "h" => ("headers on their own", "name the .c file that includes it"),
        "rs" => ("Rust sources", c),
        "go" => ("Go sources", c),
        "java" => ("Java sources", c),
        "m" | "mm" => ("Objective-C sources", c),
        "cu" => ("CUDA sources", c),
        _ => return None,
    })
}

/// Headers of Windows that have threads, locks or atomics in them.
const WINDOWS: [&str; 8] = [
    "windows.h",
    "winbase.h",
    "winsock2.h",
    "process.h",
    "processthreadsapi.h",
    "synchapi.h",
    "intrin.h",
    "ntddk.h",
];
const WINDOWS_HELP: &str = "this is a source for Windows: threads are read as those of <pthread.h> or <threads.h>; \
     verify the part that does not call Windows, with pthreads in place of its threads";
/// Folders of headers that the Linux kernel has, by how their names begin.
const KERNEL: [&str; 3] = ["linux/", "asm/", "uapi/"];
const KERNEL_HELP: &str = "this is a source of the Linux kernel, which its own build alone can preprocess: \
     give what `make DIR/FILE.i` writes there, with a `main` that starts its threads";

/// What to do about a source that includes headers of another system.
pub fn system(text: &str) -> Option<&'static str> {
    included(text).find_map(|name| {
        let lower = name.to_ascii_lowercase();
        if WINDOWS.contains(&lower.as_str()) {
            Some(WINDOWS_HELP)
        } else if KERNEL.iter().any(|k| lower.starts_with(k)) {
            Some(KERNEL_HELP)
        } else {
            None
        }
    })
}

/// Names of the headers that a text includes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let rest = rest.strip_prefix(['<', '"'])?;
        rest.split(['>', '"']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_for_us() {
        assert_eq!(language(Path::new("x/a.cpp")).map(|l| l.0), Some("C++ sources"));
        assert_eq!(language(Path::new("a.c")), None);
        assert_eq!(language(Path::new("a")), None);
        assert_eq!(system("int x;\n #  include <Windows.h>\n"), Some(WINDOWS_HELP));
        assert_eq!(system("#include \"x.h\"\n#include <linux/spinlock.h>\n"), Some(KERNEL_HELP));
        assert_eq!(system("/* windows.h */\n#include <stdio.h>\n#include MACRO\n"), None);
    }
}
