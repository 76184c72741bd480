//! Operands and arguments whose order C leaves open are marked as they are lowered, from left to right; see
//! [`crate::orders`], which adds the other orders where they make a difference.

use super::calls::Args;
use super::lower::{Lower, Res};
use super::value::Value;

impl<'a> Lower<'a> {
    /// The values of a call's arguments, evaluated in any order; nothing is converted, arrays are addresses.
    pub fn argument_values(&mut self, args: Args<'a>) -> Res<Vec<Value>> {
        self.body.begin_operands(false);
        let mut values = Vec::new();
        for a in args {
            values.push(self.value(a)?);
            self.body.end_operand();
        }
        self.body.end_arguments();
        Ok(values)
    }
}
