//! The script that compiles the program with its schedule and runs it.

use super::{Way, schedule};
use crate::report::json::TraceEntry;
use crate::report::rules::{self, Rule};
use relyant_cfa::options::{DataModel, Options, Signed};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Who says that the program fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// The program itself, or the scheduler's watchdog in a deadlock.
    Program,
    /// ThreadSanitizer.
    Races,
    /// AddressSanitizer looks at each access that the scheduler sees.
    Memory,
    /// AddressSanitizer's own instrumentation: objects on stacks and global ones, too, but fewer accesses to take turns at.
    Stack,
    /// UndefinedBehaviorSanitizer.
    Undefined,
}

impl Judge {
    /// Those who may see a violation of a kind, the likeliest first.
    pub fn of(kind: Option<Rule>) -> &'static [Judge] {
        match kind {
            Some(rules::RACE) => &[Judge::Races],
            // The last one where what is defined const is in writable memory.
            Some(
                rules::NULL
                | rules::GONE
                | rules::OUTSIDE
                | rules::LITERAL
                | rules::CONST
                | rules::DOUBLE_FREE
                | rules::BAD_FREE
                | rules::LEAK,
            ) => &[Judge::Memory, Judge::Stack, Judge::Program],
            Some(rules::OVERFLOW | rules::SHIFT | rules::DIVISION) => &[Judge::Undefined],
            _ => &[Judge::Program],
        }
    }

    /// What standard error has when the program fails as the judge sees it.
    pub fn signs(self) -> &'static [&'static str] {
        match self {
            Judge::Program => &[
                "Assertion",
                "relyant: deadlock",
                "is called by thread",
                "is reached by thread",
                " fails by thread",
                "is written by thread",
            ],
            Judge::Races => {
                &["WARNING: ThreadSanitizer: data race", "WARNING: ThreadSanitizer: heap-use-after-free"]
            }
            Judge::Memory | Judge::Stack => &["ERROR: AddressSanitizer", "ERROR: LeakSanitizer"],
            Judge::Undefined => &["runtime error:"],
        }
    }

    /// Macro that tells the runtime, options to instrument a source, options to link.
    fn flags(self, narrow: bool) -> (&'static str, &'static str, &'static str) {
        let thread = "-fsanitize=thread";
        match self {
            Judge::Program if narrow => ("NARROW", "-fsanitize=kernel-address $calls $bare", ""),
            Judge::Undefined if narrow => (
                "NARROW",
                "-fsanitize=kernel-address $calls $bare -fsanitize=undefined,float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all",
                "-fsanitize=undefined",
            ),
            Judge::Program => ("PLAIN", thread, ""),
            Judge::Races => ("RACES", thread, thread),
            Judge::Memory => ("MEMORY", thread, "-fsanitize=address"),
            Judge::Stack => ("STACK", "-fsanitize=address $calls", "-fsanitize=address"),
            Judge::Undefined => (
                "PLAIN",
                "-fsanitize=thread -fsanitize=undefined,float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all",
                "-fsanitize=undefined",
            ),
        }
    }

    /// Functions that the runtime stands in for.
    fn wrapped(self) -> Vec<String> {
        let mut all: Vec<String> = CALLS.split_whitespace().map(String::from).collect();
        let sizes = ["1", "2", "4", "8", "16"];
        match self {
            Judge::Races => {
                for what in ["read", "write"] {
                    all.extend(sizes.iter().map(|n| format!("__tsan_{what}{n}")));
                    all.extend(sizes[1..].iter().map(|n| format!("__tsan_unaligned_{what}{n}")));
                }
                all.extend(["read", "write"].map(|what| format!("__tsan_{what}_range")));
                for bits in [8, 16, 32, 64] {
                    all.extend(ATOMICS.split_whitespace().map(|a| format!("__tsan_atomic{bits}_{a}")));
                }
            }
            Judge::Stack => {
                for what in ["load", "store"] {
                    all.extend(sizes.iter().map(|n| format!("__asan_{what}{n}")));
                    all.push(format!("__asan_{what}N"));
                }
            }
            Judge::Program | Judge::Memory | Judge::Undefined => {}
        }
        all
    }
}

/// Functions of the library that the runtime stands in for.
pub(crate) const CALLS: &str = "pthread_create pthread_exit pthread_join pthread_once pthread_mutex_lock pthread_mutex_trylock \
    pthread_mutex_timedlock pthread_mutex_unlock pthread_spin_lock pthread_spin_trylock pthread_spin_unlock \
    pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock \
    pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_unlock pthread_cond_wait \
    pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast pthread_barrier_init pthread_barrier_wait \
    sem_wait sem_trywait sem_timedwait sem_post sem_getvalue thrd_create thrd_join thrd_exit mtx_lock mtx_trylock \
    mtx_timedlock mtx_unlock cnd_wait cnd_timedwait cnd_signal cnd_broadcast call_once sleep usleep nanosleep memcpy memmove \
    memset pthread_cancel pthread_testcancel pthread_key_create abort _exit signal sigaction __assert_fail";

const ATOMICS: &str = "load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand \
    compare_exchange_strong compare_exchange_weak compare_exchange_val";

/// Each compiler has words of its own for calls at all accesses, and for nothing else.
const COMPILERS: &str = "case $($cc --version) in
    *clang*)
        cc=\"$cc -fdouble-square-bracket-attributes\"
        calls='-mllvm -asan-instrumentation-with-call-threshold=0'
        bare='-mllvm -asan-stack=0 -mllvm -asan-globals=0' ;;
    *)
        calls='--param asan-instrumentation-with-call-threshold=0'
        bare='--param asan-stack=0 --param asan-globals=0' ;;
esac
";

/// The text of the script. `names`: of the sources in the folder.
pub fn text(
    sources: &[PathBuf],
    names: &[String],
    options: &Options,
    trace: &TraceEntry,
    way: Way,
) -> String {
    let judge = way.judge;
    let narrow = options.data_model == DataModel::Ilp32;
    let (mode, instrument, link) = judge.flags(narrow);
    let order = u8::from(way.reorder);
    // Where detectors look for their caller, calls at the end must be jumps.
    let jumps = matches!(judge, Judge::Races | Judge::Memory | Judge::Stack);
    let level = if jumps { "-O1 -foptimize-sibling-calls" } else { "-O0" };
    let wrap = if options.signed == Signed::Wrap { "-fwrapv" } else { "" };
    let mut wraps = judge.wrapped();
    // Headers may name functions of the standard by another name.
    wraps.extend(schedule::inputs(trace).into_iter().flat_map(|f| [f.to_string(), format!("__isoc99_{f}")]));
    wraps.push("main".into());
    let rewrite = if trace.rule() == Some(rules::ERROR_CALL) && trace.violation == "reach_error" {
        "-v error=1 "
    } else {
        ""
    };
    let mut out =
        String::from("#!/bin/sh\n# Compiles the program with its schedule, once, and runs it.\nset -e\n");
    let _ = writeln!(
        out,
        "here=$(cd -- \"$(dirname -- \"$0\")\" && pwd)\ncc=${{CC:-{}}}",
        way.compiler.unwrap_or("gcc")
    );
    out.push_str(COMPILERS);
    let pointer = if narrow { "-v pointer=.long " } else { "" };
    if narrow {
        out.push_str("cc=\"$cc -m32\"\n");
    }
    let _ = writeln!(out, "unit() {{");
    let _ = writeln!(
        out,
        "    name=$1 file=$2\n    shift 2\n    $cc -g -O0 -w {instrument} {wrap} \"$@\" -S -o \"$here/$name.plain.s\" \"$here/$file\""
    );
    let _ = writeln!(
        out,
        "    awk {pointer}{rewrite}-f \"$here/sites.awk\" \"$here/$name.plain.s\" > \"$here/$name.s\"\n}}"
    );
    let _ = writeln!(out, "if [ ! -x \"$here/program\" ]; then");
    let mut objects = String::new();
    for (i, (source, name)) in sources.iter().zip(names).enumerate() {
        let mut flags: Vec<String> = options
            .preprocessing_of(source)
            .from_here()
            .arguments()
            .iter()
            .map(|a| quoted(&a.to_string_lossy()))
            .collect();
        // What is included is still where the source was.
        if let Some(folder) = source.canonicalize().ok().as_deref().and_then(Path::parent) {
            flags.push(format!("-iquote {}", quoted(&folder.to_string_lossy())));
        }
        let _ = writeln!(out, "    unit unit{i} {} {}", quoted(name), flags.join(" "));
        let _ = write!(objects, " \"$here/unit{i}.s\"");
    }
    let _ = writeln!(
        out,
        "    $cc -g {level} -w -D{mode} -DREORDER={order} -c -o \"$here/runtime.o\" \"$here/runtime.c\""
    );
    let _ = writeln!(
        out,
        "    $cc -g -pthread {link} -o \"$here/program\" \"$here/runtime.o\"{objects} -lm $(cat \"$here/absent\") \\"
    );
    let wraps: Vec<String> = wraps.iter().map(|w| format!("-Wl,--wrap={w}")).collect();
    let lines: Vec<String> = wraps.chunks(4).map(|l| format!("        {}", l.join(" "))).collect();
    let _ = writeln!(out, "{}", lines.join(" \\\n"));
    let _ = writeln!(out, "fi\n[ \"$1\" = --build ] || exec \"$here/program\" \"$@\"");
    out
}

/// A word for the shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
