//! Relyant proves that C programs with threads are safe, or shows a run that is not.
//!
//! [`verify_file`] and [`verify_text`] give a [`Verdict`] with evidence that was checked; [`Verified::certificate`] is a document
//! that [`check_file`] and [`check_text`] check again. The guide is
//! [docs/LIBRARY.md](https://github.com/relyant/relyant/blob/main/docs/LIBRARY.md).
//!
//! ```
//! use relyant::{Options, Verdict, verify_text};
//!
//! let text = r#"
//!     #include <assert.h>
//!     #include <pthread.h>
//!     int ready;
//!     void *run(void *arg) { assert(ready); return 0; }
//!     int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); ready = 1; return 0; }
//! "#;
//! let verified = verify_text("ready.c", text, &Options::default())?;
//! let Verdict::Unsafe { trace, shortest } = verified.verdict() else { panic!("the thread may be first") };
//! assert!(*shortest && trace.violation.to_string() == "assertion");
//! assert_eq!(trace.place, ("ready.c".into(), 5, 36));
//! # Ok::<(), relyant::Error>(())
//! ```
//!
//! The modules are what the command line is made of: [`pipeline`] is the whole of it, from a file to a verdict.
#![deny(missing_docs)]

pub mod api;
pub mod bench;
pub mod explain;
pub mod export;
pub mod fences;
pub mod finite;
pub mod html;
pub mod init;
pub mod lsp;
pub mod observe;
pub mod pipeline;
pub mod predicates;
pub mod project;
pub mod report;
pub mod reproduce;
pub mod task;
pub mod witness;

pub use api::{Error, Options, Verified, check_file, check_text, verify_file, verify_text};
pub use pipeline::{Evidence, Method, Report, Unknown, Verdict};
pub use relyant_cfa::diagnostic::Diagnostic;
pub use relyant_cfa::options::{Options as Meaning, Property};
pub use relyant_checker::Refusal;
pub use relyant_checker::source::{Accepted, Counted};
pub use relyant_interp::Trace;

/// The guide's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/LIBRARY.md")]
struct Guide;

/// The example of an engine is one.
#[cfg(doctest)]
#[doc = include_str!("../docs/ENGINES.md")]
struct Engines;
