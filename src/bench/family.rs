//! C programs of any size, and how long they take: how proofs grow with the length of a thread and with the number of different threads.

use super::runner::{self, RunError};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_frontend::c::unit::Text;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;\n";

/// A thread of so many sections under a lock, each with a test, beside one that changes the same variable for ever.
pub fn sections(n: usize) -> String {
    let mut out = format!(
        "{HEAD}void *other(void *p)\n{{\n\tfor (;;) {{\n\t\tpthread_mutex_lock(&m);\n\t\tx = x + 1;\n\t\tassert(x >= 1);\n\
         \t\tx = x - 1;\n\t\tpthread_mutex_unlock(&m);\n\t}}\n}}\nvoid *one(void *p)\n{{\n"
    );
    for k in (1..=5).cycle().take(n) {
        let _ = writeln!(
            out,
            "\tpthread_mutex_lock(&m);\n\tx = x + {k};\n\tassert(x >= {k});\n\tx = x - {k};\n\tpthread_mutex_unlock(&m);"
        );
    }
    out + "\treturn 0;\n}\nint main(void)\n{\n\tpthread_t a, b;\n\tpthread_create(&a, 0, one, 0);\n\
           \tpthread_create(&b, 0, other, 0);\n\tpthread_join(a, 0);\n}\n"
}

/// So many threads of different code, each of which goes round for ever.
pub fn threads(n: usize) -> String {
    let mut out = HEAD.to_string();
    for k in 1..=n {
        let _ = writeln!(
            out,
            "void *t{k}(void *p)\n{{\n\tfor (;;) {{\n\t\tpthread_mutex_lock(&m);\n\t\tx = x + {k};\n\t\tassert(x == {k});\n\
             \t\tx = x - {k};\n\t\tpthread_mutex_unlock(&m);\n\t}}\n}}"
        );
    }
    out += "int main(void)\n{\n\tpthread_t t;\n";
    for k in 1..=n {
        let _ = writeln!(out, "\tpthread_create(&t, 0, t{k}, 0);");
    }
    out + "}\n"
}

/// What a program took, in seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The verdict's word.
    pub verdict: String,
    /// Reading the source.
    pub read: f64,
    /// Searching and proving.
    pub prove: f64,
    /// Checking what was found.
    pub check: f64,
    /// From the start of the process to its end.
    pub wall: f64,
}

/// Why a program could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum FamilyError {
    /// There is no room for its file.
    #[error("{0}")]
    File(Box<Diagnostic>),
    /// The verifier did not do what it should.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Verifies a program in a process of its own, from a file in a folder that goes again.
///
/// # Errors
/// There is no room for the file, or the process did not do what it should.
pub fn measure(exe: &Path, text: &str, timeout: Duration) -> Result<Measured, FamilyError> {
    let text = Text::new("program.c", text).map_err(|d| FamilyError::File(Box::new(d)))?;
    let run = runner::verify(exe, text.unit().path(), &[], timeout)?;
    let s = &run.entry.seconds;
    Ok(Measured {
        verdict: run.verdict().to_string(),
        read: s.read,
        prove: s.search + s.prove,
        check: s.check,
        wall: run.wall,
    })
}
