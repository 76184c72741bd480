//! What is not modelled, in functions that a program may never call: whoever gets there is at a limit of ours, and no
//! verdict rests on what comes after it. What `main` itself does is reached, and refused.

use super::lower::{Lower, Res};
use lang_c::span::Span as Bytes;
use relyant_cfa::Op;

impl Lower<'_> {
    /// Ends the run here with a limit; refuses in `main`, and in start values of objects, which all threads see.
    pub fn beyond(&mut self, at: Bytes, what: &str, help: &str) -> Res<()> {
        if self.body.name == "main" || self.context.scopes.at_file() {
            return self.refuse(at, what, help);
        }
        let line = self.span(at).line;
        let limit = self.body.limit(format!("{what} not supported (line {line}: {help})"));
        self.body.leave(limit, Op::Skip);
        Ok(())
    }
}
