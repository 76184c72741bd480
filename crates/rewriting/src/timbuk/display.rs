//! A system as text that reads back.

use super::{Atom, OpId, Sum, System, Term, Transition};
use std::fmt;

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ops: Vec<String> = self.ops.iter().map(|o| format!("{}:{}", o.name, o.arity)).collect();
        writeln!(f, "Ops {}", ops.join(" "))?;
        if !self.vars.is_empty() {
            writeln!(f, "Vars {}", self.vars.join(" "))?;
        }
        let ac: Vec<&str> = self.ops.iter().filter(|o| o.ac).map(|o| o.name.as_str()).collect();
        if !ac.is_empty() {
            writeln!(f, "AC {}", ac.join(" "))?;
        }
        for s in &self.systems {
            writeln!(f, "\nTRS {}", s.name)?;
            for r in &s.rules {
                writeln!(
                    f,
                    "  {} -> {}{}",
                    self.show(&r.left),
                    self.show(&r.right),
                    self.show_condition(&r.condition)
                )?;
            }
        }
        for a in &self.automata {
            let state = |q: &super::StateId| a.states[q.0 as usize].as_str();
            writeln!(f, "\nAutomaton {}", a.name)?;
            writeln!(f, "States {}", a.states.join(" "))?;
            writeln!(f, "Final States {}", a.finals.iter().map(state).collect::<Vec<_>>().join(" "))?;
            writeln!(f, "Transitions")?;
            for t in &a.transitions {
                match t {
                    Transition::Epsilon(p, q) => writeln!(f, "  {} -> {}", state(p), state(q))?,
                    Transition::Op(op, args, q) => {
                        let name = &self.op(*op).name;
                        let list = args.iter().map(state).collect::<Vec<_>>().join(", ");
                        let list = if args.is_empty() { String::new() } else { format!("({list})") };
                        writeln!(f, "  {name}{list} -> {}", state(q))?;
                    }
                }
            }
        }
        for s in &self.sets {
            writeln!(f, "\nSet {}", s.name)?;
            for p in &s.patterns {
                writeln!(f, "  {}{}", self.show(&p.term), self.show_condition(&p.condition))?;
            }
        }
        Ok(())
    }
}

impl System {
    /// A term as text.
    pub fn show(&self, term: &Term) -> String {
        let mut out = String::new();
        self.write_term(term, &mut out);
        out
    }
    fn write_term(&self, term: &Term, out: &mut String) {
        match term {
            Term::Var(v) => out.push_str(&self.vars[v.0 as usize]),
            Term::App(op, args) => {
                out.push_str(&self.op(*op).name);
                for (i, a) in args.iter().enumerate() {
                    out.push_str(if i == 0 { "(" } else { ", " });
                    self.write_term(a, out);
                }
                if !args.is_empty() {
                    out.push(')');
                }
            }
        }
    }
    /// A condition as text, with its `if`; empty when there is none.
    pub fn show_condition(&self, condition: &[Atom]) -> String {
        let mut out = String::new();
        for (i, a) in condition.iter().enumerate() {
            out.push_str(if i == 0 { " if " } else { " and " });
            out.push_str(&self.show_sum(a.left));
            out.push_str(&format!(" {} ", a.comparison.symbol()));
            out.push_str(&self.show_sum(a.right));
        }
        out
    }
    fn show_sum(&self, sum: Sum) -> String {
        match sum.var {
            None => sum.plus.to_string(),
            Some(v) => {
                let n = usize::try_from(sum.plus).unwrap_or(0);
                format!("{}{}{}", "s(".repeat(n), self.vars[v.0 as usize], ")".repeat(n))
            }
        }
    }
    /// The name of an operator.
    pub fn name_of(&self, op: OpId) -> &str {
        &self.op(op).name
    }
}
