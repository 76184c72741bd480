//! Assembler statements that do nothing a program can see but order memory, which is sequentially consistent here anyway.

use super::lower::{Lower, Res};
use lang_c::ast::*;
use lang_c::span::Span as Bytes;
use relyant_cfa::Op;

/// Instructions that change neither registers that count nor memory; blanks are left out.
const HARMLESS: [&str; 29] = [
    "",
    "nop",
    "pause",
    "rep",
    "repnop",
    "rep;nop",
    "mfence",
    "lfence",
    "sfence",
    "serialize",
    "lock",
    "addl$0,0(%esp)",
    "addl$0,(%esp)",
    "addl$0,0(%rsp)",
    "addl$0,(%rsp)",
    "addl$0,-4(%rsp)",
    "addq$0,0(%rsp)",
    "orl$0,(%rsp)",
    "orq$0,(%rsp)",
    "orl$0,0(%rsp)",
    "lockaddl$0,0(%rsp)",
    "lockorl$0,(%rsp)",
    // Interrupts of the own processor keep no other thread from running.
    "cli",
    "sti",
    "hlt",
    "push%0",
    "popf",
    "popfq",
    "popfl",
];

/// Does it wait until the store buffer is empty (Intel's manual, volume 3, 9.3)?
fn drains(i: &str) -> bool {
    matches!(i, "mfence" | "serialize") || i.starts_with("lock")
}

/// The instructions of a template, without blanks and comments.
fn instructions(template: &[String]) -> Vec<String> {
    let text: String = template.iter().map(|t| t.trim().trim_matches('"')).collect();
    let text = text.replace("\\n", "\n").replace("\\t", " ").replace("%%", "%");
    let all = text.split(['\n', ';']).map(|i| {
        let i: String = i.split('#').next().unwrap_or("").chars().filter(|c| !c.is_whitespace()).collect();
        // A local label.
        let rest = i.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix(':') {
            Some(rest) if rest.len() + 1 < i.len() => rest.to_string(),
            _ => i,
        }
    });
    without_tables(all.collect())
}

/// Leaves out what is put in other sections, where that is data: tables of places for the kernel.
fn without_tables(all: Vec<String>) -> Vec<String> {
    let (mut out, mut inside) = (Vec::new(), Vec::new());
    for i in all {
        match (inside.is_empty(), i.as_str()) {
            (true, x) if x.starts_with(".pushsection") && !x.starts_with(".pushsection.text") => {
                inside.push(i)
            }
            (true, _) => out.push(i),
            (false, ".popsection") => inside.clear(),
            (false, x) if x.is_empty() || x.starts_with('.') && !x.starts_with(".pushsection") => {
                inside.push(i)
            }
            // Instructions are there.
            (false, _) => {
                out.append(&mut inside);
                out.push(i);
            }
        }
    }
    out.extend(inside);
    out
}

fn is_harmless(i: &str) -> bool {
    HARMLESS.contains(&i) || i.strip_prefix("lock").is_some_and(|rest| HARMLESS.contains(&rest))
}

impl<'a> Lower<'a> {
    /// Lowers an assembler statement whose instructions are all known; others are refused.
    pub fn assembler(&mut self, a: &'a AsmStatement, at: Bytes) -> Res<()> {
        let (template, operands) = match a {
            AsmStatement::GnuBasic(t) => (&t.node, None),
            AsmStatement::GnuExtended(x) => (&x.template.node, Some(x)),
        };
        let instructions = instructions(template);
        let trap = |i: &String| i == "ud2" || i == "int3";
        if operands.is_none_or(|x| x.outputs.is_empty())
            && instructions.iter().any(trap)
            && instructions.iter().all(|i| is_harmless(i) || trap(i))
        {
            // The program is killed.
            let end = self.body.end;
            self.body.leave(end, Op::Halt);
            return Ok(());
        }
        if let Some(x) = operands
            && (self.known_instruction(&instructions, x, at)? || self.change_of_word(&instructions, x, at)?)
        {
            return Ok(());
        }
        if let Some(other) = instructions.iter().find(|i| !is_harmless(i)) {
            return self.beyond(at, &format!("assembler code (`{other}`) is"), "write it in C");
        }
        if self.unit.options.is_tso() && instructions.iter().any(|i| drains(i)) {
            self.body.fence(true);
        }
        let Some(x) = operands else { return Ok(()) };
        for o in &x.outputs {
            // What is read and written back unchanged stays the same where nobody else can write between.
            let kept = o.node.constraints.node.iter().any(|c| c.contains('+'));
            let local = super::scan::name_of(&o.node.variable_name.node)
                .is_some_and(|n| self.context.scopes.is_local(n));
            if !(kept && local) {
                return self.beyond(o.span, "a result of assembler code is", "write it in C");
            }
        }
        for i in &x.inputs {
            if !i.node.constraints.node.iter().any(|c| c.contains('m')) {
                self.effect(&i.node.variable_name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_labels_are_left_out() {
        let of = |t: &str| instructions(&[t.to_string()]);
        assert_eq!(
            of("\"1:\\tud2\\n.pushsection __bug_table,\\\"a\\\"\\n2:\\t.long 1b\\n.popsection\""),
            ["ud2"]
        );
        assert_eq!(
            of("\".pushsection .x\\nmov %1, %0\\n.popsection\""),
            [".pushsection.x", "mov%1,%0", ".popsection"]
        );
    }

    #[test]
    fn fences_are_harmless() {
        let all = |t: &str| instructions(&[t.to_string()]).iter().all(|i| is_harmless(i));
        for t in [
            "\"\"",
            "\"rep; nop\"",
            "\"mfence\\n\\t\"",
            "\"lock; addl $0,0(%%rsp)\"",
            "\"lock addl $0, (%%esp)\"",
        ] {
            assert!(all(t), "{t}");
        }
        assert!(!all("\"movl $1, %eax\"") && !all("\"lock; cmpxchg %1, %0\""));
    }
}
