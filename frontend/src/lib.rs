//! The front end of C: from C with threads to control-flow automata.
//!
//! ```text
//! text --c--> cfa::Module --instantiate--> cfa::Program
//!             functions      threads, calls inlined
//! ```
//!
//! ```
//! use relyant_cfa::options::Options;
//! use relyant_frontend::{c, instantiate};
//!
//! let text = "typedef unsigned long pthread_t;
//!     extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
//!     int x;
//!     void *run(void *arg) { x = 1; return 0; }
//!     int main(void) { pthread_t t; while (x < 3) pthread_create(&t, 0, run, 0); return 0; }";
//! let module = c::load_text("a.i", text, &Options::default())?;
//! let program = instantiate::instantiate(&module, &Options::default())?;
//! let threads: Vec<_> = program.templates.iter().map(|t| (t.name.as_str(), t.count)).collect();
//! assert_eq!(threads, [("main", relyant_cfa::Count::AtMost(1)), ("run", relyant_cfa::Count::Unbounded)]);
//!
//! let wrong = c::load_text("a.i", "int main(void) {\n  return 0 }", &Options::default()).unwrap_err();
//! assert_eq!((wrong.file.as_str(), wrong.line), ("a.i", 2));
//! # Ok::<(), relyant_cfa::diagnostic::Diagnostic>(())
//! ```
#![deny(missing_docs)]

pub mod c;
pub mod instantiate;
mod orders;
pub mod programs;
pub mod races;
pub mod tso;
pub mod waits;
