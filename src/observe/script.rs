//! The script that compiles the program with its invariants and runs it.

use crate::reproduce::{CALLS, quoted};
use relyant_cfa::options::{Options, Signed};
use std::fmt::Write;
use std::path::Path;

/// Functions that take or give a thread's handle.
const HANDLES: &str = "pthread_self pthread_detach thrd_current thrd_detach";

/// The text of the script. `name`: of the source in the folder.
pub(super) fn text(source: &Path, name: &str, options: &Options) -> String {
    let mut flags: Vec<String> =
        options.preprocessing.from_here().arguments().iter().map(|a| quoted(&a.to_string_lossy())).collect();
    let traps = "integer-divide-by-zero,bounds,null,float-cast-overflow,unreachable";
    // What C leaves undefined ends a run.
    flags.push(match options.signed {
        Signed::Wrap => format!("-fwrapv -fsanitize={traps}"),
        Signed::Assume | Signed::Check => format!("-fsanitize={traps},signed-integer-overflow,shift"),
    });
    flags.push("-fsanitize-undefined-trap-on-error".into());
    if let Some(folder) = source.canonicalize().ok().as_deref().and_then(Path::parent) {
        flags.push(format!("-iquote {}", quoted(&folder.to_string_lossy())));
    }
    let main = if options.threads.is_empty() { "" } else { " main" };
    let wraps: Vec<String> =
        format!("{CALLS} {HANDLES}{main}").split_whitespace().map(|w| format!("-Wl,--wrap={w}")).collect();
    let lines: Vec<String> = wraps.chunks(4).map(|l| format!("        {}", l.join(" "))).collect();
    let mut out = String::from(
        "#!/bin/sh\n# Compiles the program with its invariants, once, and runs it: --seed S --runs N\nset -e\n",
    );
    let _ = writeln!(out, "here=$(cd -- \"$(dirname -- \"$0\")\" && pwd)\ncc=${{CC:-gcc}}");
    let _ = writeln!(out, "if [ ! -x \"$here/program\" ]; then");
    let _ = writeln!(
        out,
        "    $cc -g -O0 -w -fsanitize=thread -include \"$here/checks.h\" {} -S -o \"$here/unit.plain.s\" \"$here/\"{}",
        flags.join(" "),
        quoted(name)
    );
    let _ =
        writeln!(out, "    awk -v error=1 -f \"$here/sites.awk\" \"$here/unit.plain.s\" > \"$here/unit.s\"");
    let _ = writeln!(out, "    $cc -g -O1 -w -c -o \"$here/observe.o\" \"$here/observe.c\"");
    let _ = writeln!(
        out,
        "    $cc -g -pthread -o \"$here/program\" \"$here/observe.o\" \"$here/unit.s\" -lm $(cat \"$here/absent\") \\"
    );
    let _ = writeln!(out, "{}\nfi", lines.join(" \\\n"));
    out.push_str(
        "[ \"$1\" != --build ] || exit 0\n\
         while [ $# -ge 2 ]; do\n    case $1 in\n        --seed) RELYANT_SEED=$2 ;;\n        --runs) RELYANT_RUNS=$2 ;;\n        \
         --steps) RELYANT_STEPS=$2 ;;\n        *) break ;;\n    esac\n    shift 2\ndone\n\
         export RELYANT_SEED RELYANT_RUNS RELYANT_STEPS RELYANT_RESULT=\"$here/result.json\"\n\
         exec \"$here/program\" \"$@\"\n",
    );
    out
}
