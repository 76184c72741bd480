//! Why a module cannot be made a program.

use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::{Module, ObjId};

/// Why instantiation gives up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// A function calls itself, directly or through others, other than as its last act.
    #[error("recursive call of `{function}` is not supported")]
    Recursion {
        /// Name of the function that calls itself.
        function: String,
        /// Where the call is written.
        span: Span,
    },
    /// Inlined calls or unrolled loops make the program too large.
    #[error("the program is too large: more than {limit} steps after inlining the calls of `{function}`")]
    TooLarge {
        /// Name of the start routine whose copy got too large.
        function: String,
        /// As many edges a graph may have.
        limit: usize,
        /// The start routine's place.
        span: Span,
    },
    /// A function pointer may be called that no function with its address taken fits.
    #[error("no function is known that this pointer may call")]
    NoCallee {
        /// Where the call is written.
        span: Span,
    },
    /// Threads without bound on their number share addresses of their own locals.
    #[error(
        "the address of `{object}` may reach other threads, and there may be any number of threads `{thread}`"
    )]
    EscapingLocal {
        /// Name of the local whose address escapes.
        object: String,
        /// Name of the template, without bound on its number.
        thread: String,
        /// The module's object that it is a copy of.
        original: ObjId,
        /// Where the object is declared.
        span: Span,
    },
    /// Each call of a recursive function has an object of its own, whose address leaves the call.
    #[error("the address of `{object}` leaves the call of the recursive function `{function}`")]
    EscapingActivation {
        /// Name of the local whose address escapes.
        object: String,
        /// Name of the recursive function.
        function: String,
        /// The module's object that it is a copy of.
        original: ObjId,
        /// Where the object is declared.
        span: Span,
    },
    /// There is no `main`, nor another function to start with.
    #[error("no function to start with")]
    NoStart,
    /// Objects take more addresses than there are.
    #[error("the objects of the program are too large")]
    Memory,
}

impl Refusal {
    fn span(&self) -> Span {
        match self {
            Refusal::Recursion { span, .. }
            | Refusal::TooLarge { span, .. }
            | Refusal::NoCallee { span }
            | Refusal::EscapingLocal { span, .. }
            | Refusal::EscapingActivation { span, .. } => *span,
            Refusal::NoStart | Refusal::Memory => Span::default(),
        }
    }
    fn help(&self) -> &'static str {
        match self {
            Refusal::Recursion { .. } => "calls are inlined; write the recursion as a loop",
            Refusal::TooLarge { .. } => "calls are inlined; every call site gets a copy of the function",
            Refusal::NoCallee { .. } => {
                "the function called must be defined in this file, with as many parameters"
            }
            Refusal::EscapingLocal { .. } => "make it a global, or bound the number of threads",
            Refusal::EscapingActivation { .. } => {
                "each call has its own: pass the value and return the new one, or make it a global"
            }
            Refusal::NoStart | Refusal::Memory => "",
        }
    }
    /// As an error in the source.
    pub fn diagnostic(&self, module: &Module) -> Diagnostic {
        Diagnostic::at(self.span(), &module.files, &module.lines, self.to_string(), self.help())
    }
}
