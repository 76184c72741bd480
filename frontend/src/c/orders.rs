//! Operands and arguments whose order C leaves open.
//!
//! Where a call is among them and another one acts on memory, every order is a way to go. Two plain reads are marked for
//! [`crate::orders`], which adds the other order where it makes a difference; more are done from left to right, which
//! is said.

use super::lower::{Lower, Res};
use super::types::Ty;
use super::value::Value;
use crate::cfa::{Edge, Expr, Op, Reg};
use lang_c::ast::Expression;
use lang_c::span::Node;

/// Deepest nesting of operands that are evaluated in all orders: each level multiplies what is below it.
const MAX_DEPTH: usize = 3;
/// Most operands that are evaluated in all orders.
const MAX_OPERANDS: usize = 3;

/// Evaluates one operand.
pub type Operand<'p, 'a> = Box<dyn Fn(&mut Lower<'a>) -> Res<Value> + 'p>;

impl<'a> Lower<'a> {
    /// Evaluates operands in any order; gives their values.
    pub fn any_order(&mut self, operands: &[Operand<'_, 'a>]) -> Res<Vec<Value>> {
        let mark = self.body.mark();
        let labels = self.body.labels.len();
        let mut ends = vec![mark.edges()];
        self.open_orders += 1;
        let values: Res<Vec<Value>> = operands
            .iter()
            .map(|operand| {
                let v = operand(self);
                ends.push(self.body.graph.edges.len());
                v
            })
            .collect();
        self.open_orders -= 1;
        let values = values?;
        let acts = |k: &usize| self.body.graph.edges[ends[*k]..ends[k + 1]].iter().any(is_access);
        let acting: Vec<usize> = (0..operands.len()).filter(acts).collect();
        if acting.len() < 2 {
            return Ok(values);
        }
        let calls = self.body.graph.edges[mark.edges()..].iter().any(|e| matches!(e.op, Op::Call { .. }));
        if let (false, [x, y]) = (calls, acting.as_slice()) {
            let edges = &self.body.graph.edges;
            let single = |k: usize| (ends[k + 1] - ends[k] == 1).then(|| &edges[ends[k]]);
            if let (Some(a), Some(b)) = (single(*x), single(*y)) {
                if a.to == b.from && matches!((&a.op, &b.op), (Op::Load(..), Op::Load(..))) {
                    self.body.between.push(a.to);
                    return Ok(values);
                }
            }
        }
        let held = |v: &Value| v.ty.is_scalar() || v.ty == Ty::Void;
        let few = acting.len() <= MAX_OPERANDS && self.open_orders < MAX_DEPTH;
        if !calls || !few || !values.iter().all(held) || labels != self.body.labels.len() {
            self.assume("operands are evaluated from left to right");
            return Ok(values);
        }
        self.body.rewind(mark);
        self.open_orders += 1;
        let done = self.all_orders(operands, &values, &acting);
        self.open_orders -= 1;
        done
    }

    /// The values of a call's arguments, evaluated in any order; nothing is converted, arrays are addresses.
    pub fn argument_values(&mut self, args: super::calls::Args<'a>) -> Res<Vec<Value>> {
        let operand = |a: &'a Node<Expression>| -> Operand<'a, 'a> { Box::new(move |l| l.value(a)) };
        let operands: Vec<Operand<'_, 'a>> = args.iter().map(operand).collect();
        self.any_order(&operands)
    }

    fn all_orders(
        &mut self,
        operands: &[Operand<'_, 'a>],
        values: &[Value],
        acting: &[usize],
    ) -> Res<Vec<Value>> {
        let mut results = Vec::new();
        let mut targets: Vec<Option<Reg>> = vec![None; operands.len()];
        for (k, operand) in operands.iter().enumerate() {
            let ty = values[k].ty.clone();
            if !acting.contains(&k) {
                results.push(operand(self)?);
            } else if ty == Ty::Void {
                results.push(Value::void());
            } else {
                let r = self.body.temp(self.types.kind(&ty));
                targets[k] = Some(r);
                results.push(Value { expr: Expr::Reg(r), ty });
            }
        }
        let (start, end) = (self.body.cur, self.body.fresh());
        for order in permutations(acting) {
            self.body.cur = start;
            self.body.emit(Op::Skip);
            for k in order {
                let v = operands[k](self)?;
                if let Some(r) = targets[k] {
                    self.body.emit(Op::Assign(r, v.expr));
                }
            }
            self.body.edge_to(end, Op::Skip);
        }
        self.body.cur = end;
        Ok(results)
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, first) in items.iter().enumerate() {
        let rest: Vec<usize> = items.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, x)| *x).collect();
        for mut tail in permutations(&rest) {
            tail.insert(0, *first);
            all.push(tail);
        }
    }
    all
}

fn is_access(e: &Edge) -> bool {
    matches!(e.op, Op::Load(..) | Op::Store(..) | Op::Call { .. })
}
