//! Ghost code that people write in comments of a source: `/*@ ghost int seen = 0 */` declares a ghost, `/*@ ghost seen = seen + 1 */`
//! assigns to it in the step that ends the statement before the comment.
//!
//! An assignment changes no step of the program: it is a further update of some of them, whichever these are. So where a comment
//! stands decides what a ghost is good for, and nothing else. (Auxiliary variables of Owicki and Gries, 1976.)
//!
//! Reach: no pattern is looked for. Needed by `hints/allocator.c`.

use super::extension::{Extension, GhostVariable, Start, StepCase};
use crate::recognisers::Recogniser;
use crate::{Edge, Ghost, Program, Scope, Variable};
use relyant_cfa::comments::comments;
use relyant_linear::{LinExpr, Rat, Var};
use std::collections::{BTreeMap, BTreeSet};

/// One declaration, or one assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Index into the files of the program.
    pub file: u32,
    /// Line of that file.
    pub line: u32,
    /// The text of it, without `ghost` and semicolon.
    pub text: String,
    /// What it says; nothing where it is not understood.
    pub says: Option<Says>,
}

/// What ghost code says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// There is such a variable, with this start value; each thread has one of its own, or all share one.
    Declares {
        /// Its name.
        name: String,
        /// Has each thread its own?
        own: bool,
        /// Its value at the start.
        start: i128,
    },
    /// It has the value of the sum from now on: names with factors, and a constant.
    Assigns {
        /// The ghost.
        name: String,
        /// The new value.
        sum: Vec<(i128, Option<String>)>,
    },
}

/// The ghost code of all files whose text is known.
pub fn remarks(files: &[Vec<String>]) -> Vec<Remark> {
    let mut out = Vec::new();
    for (file, lines) in (0u32..).zip(files) {
        if !lines.iter().any(|l| l.contains("ghost")) {
            continue;
        }
        let text = lines.join("\n");
        for (start, comment) in comments(&text) {
            let rest = comment.strip_prefix('@').map(str::trim_start).and_then(|r| r.strip_prefix("ghost"));
            let Some(code) = rest.filter(|r| r.starts_with(char::is_whitespace)) else { continue };
            let line = 1 + text[..start].matches('\n').count() as u32;
            for one in code.split(';').map(str::trim).filter(|one| !one.is_empty()) {
                out.push(Remark { file, line, text: one.into(), says: says(one) });
            }
        }
    }
    out
}

fn says(text: &str) -> Option<Says> {
    let (own, rest) = match text.strip_prefix("_Thread_local") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let declared = rest.strip_prefix("int").filter(|r| r.starts_with(char::is_whitespace));
    let (left, right) = declared.unwrap_or(rest).split_once('=').unwrap_or((declared.unwrap_or(rest), ""));
    let name = Some(left.trim()).filter(|n| is_name(n))?.to_string();
    if declared.is_some() {
        let start = if right.is_empty() { 0 } else { right.trim().parse().ok()? };
        return Some(Says::Declares { name, own, start });
    }
    (!own).then_some(Says::Assigns { name, sum: sum(right)? })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `2*x - y + 1`, also with the number behind.
fn sum(text: &str) -> Option<Vec<(i128, Option<String>)>> {
    let mut out = Vec::new();
    let (mut rest, mut sign) = (text.trim(), 1);
    loop {
        while let Some(more) = rest.strip_prefix(['+', '-']) {
            sign = if rest.starts_with('-') { -sign } else { sign };
            rest = more.trim_start();
        }
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let (mut factor, mut name) = (sign, None);
        for part in rest[..end].split('*').map(str::trim) {
            match part.parse::<i128>() {
                Ok(n) => factor = i128::checked_mul(factor, n)?,
                Err(_) if name.is_none() && is_variable(part) => name = Some(part.to_string()),
                Err(_) => return None,
            }
        }
        out.push((factor, name));
        if end == rest.len() {
            return Some(out);
        }
        (rest, sign) = (&rest[end..], 1);
    }
}

/// A name as the thread program has it: `x`, `worker::x`, `level[2]`, `s.n`.
fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_:.[]#".contains(c))
}

/// The ghosts that the source of a program declares, in a program that has not been reduced.
pub fn find(p: &Program) -> Option<Extension> {
    let code = Code::of(p, &p.lines);
    let mut out = Extension::new(Recogniser::Given);
    out.ghosts.clone_from(&code.ghosts);
    for a in &code.assignments {
        for (t, k) in code.steps(p, a) {
            let case = out.cases.entry((t, k)).or_insert_with(|| vec![StepCase::same()]);
            for c in case {
                if let Some((v, x)) = code.update(p, (t, k), a, &c.updates) {
                    c.updates.retain(|u| u.0 != v);
                    c.updates.push((v, x));
                    c.updates.sort_by_key(|u| u.0);
                }
            }
        }
    }
    out.cases.retain(|_, c| *c != [StepCase::same()]);
    (!out.ghosts.is_empty()).then_some(out)
}

/// Ghost code of a reduced program's source that has no effect: what is not understood, or declared nowhere, or names what no thread
/// there has, or stands beside no step.
pub fn lost(p: &Program) -> Vec<Remark> {
    let stage = p.extensions.iter().find(|s| s.extension.by == Recogniser::Given);
    let before = stage.map_or(p, |s| &s.before);
    let code = Code::of(before, &p.lines);
    let acts = |r: &Remark| match &r.says {
        None => false,
        Some(Says::Declares { name, .. }) => code.variables.keys().any(|(_, n)| n == name),
        Some(Says::Assigns { .. }) => code.assignments.iter().filter(|a| a.remark == *r).any(|a| {
            let mut steps = code.steps(before, a).into_iter();
            steps.any(|at| code.update(before, at, a, &[]).is_some())
        }),
    };
    remarks(&p.lines).into_iter().filter(|r| !acts(r)).collect()
}

struct Assignment {
    remark: Remark,
    ghost: String,
    sum: Vec<(i128, Option<String>)>,
}

/// The ghost code of a program that has none of the ghosts yet.
#[derive(Default)]
struct Code {
    ghosts: Vec<GhostVariable>,
    /// By template (none: all threads share it) and name.
    variables: BTreeMap<(Option<u32>, String), Var>,
    assignments: Vec<Assignment>,
}

impl Code {
    fn of(p: &Program, lines: &[Vec<String>]) -> Code {
        let mut code = Code::default();
        for remark in remarks(lines) {
            match remark.says.clone() {
                Some(Says::Declares { name, own: false, start }) => {
                    code.declare(p, (None, name.clone()), name, start);
                }
                Some(Says::Declares { name, own: true, start }) => {
                    for (t, template) in (0u32..).zip(&p.templates) {
                        code.declare(p, (Some(t), name.clone()), format!("{}::{name}", template.name), start);
                    }
                }
                Some(Says::Assigns { name, sum }) => {
                    code.assignments.push(Assignment { remark, ghost: name, sum });
                }
                None => {}
            }
        }
        code
    }

    /// A further ghost, unless there is a variable of that name.
    fn declare(&mut self, p: &Program, key: (Option<u32>, String), name: String, start: i128) {
        let ghosts = self.ghosts.iter().map(|g| &g.variable);
        if p.variables.iter().chain(ghosts).any(|v| v.name == name) {
            return;
        }
        self.variables.insert(key.clone(), Var((p.variables.len() + self.ghosts.len()) as u32));
        let scope = key.0.map_or(Scope::Global, Scope::Local);
        let variable = Variable::ghost(name, scope, (None, None), Ghost::Given);
        self.ghosts.push(GhostVariable { variable, start: Start::Value(LinExpr::int(start)), hidden: false });
    }

    fn ghost(&self, t: u32, name: &str) -> Option<Var> {
        let of = |t| self.variables.get(&(t, name.to_string())).copied();
        of(Some(t)).or_else(|| of(None))
    }

    /// What a name means to a thread of a template: a ghost, a local of it (of its start routine first), or a global.
    fn variable(&self, p: &Program, t: u32, name: &str) -> Option<Var> {
        let template = p.templates.get(t as usize)?;
        let (own, inner) = (format!("{}::{name}", template.name), format!("::{name}"));
        let find = |local: bool, is: &dyn Fn(&str) -> bool| {
            let here = |v: &Variable| match v.scope {
                Scope::Local(u) => local && u == t,
                Scope::Global => !local,
            };
            p.variables.iter().position(|v| here(v) && is(&v.name)).map(|k| Var(k as u32))
        };
        let locals =
            || find(true, &|n| n == name || n == own).or_else(|| find(true, &|n: &str| n.ends_with(&inner)));
        self.ghost(t, name).or_else(locals).or_else(|| find(false, &|n| n == name))
    }

    /// The ghost and its value after a step that has these updates of ghosts already; inputs have the numbers that they have beside all ghosts.
    fn update(
        &self,
        p: &Program,
        (t, k): (u32, usize),
        a: &Assignment,
        before: &[(Var, LinExpr)],
    ) -> Option<(Var, LinExpr)> {
        let (edge, base) = (&p.templates[t as usize].edges[k], p.variables.len() as u32);
        let mut sum = LinExpr::zero();
        for (factor, name) in &a.sum {
            let part = match name {
                None => LinExpr::int(*factor),
                Some(name) => LinExpr::var(self.variable(p, t, name)?).scale(&Rat::from(*factor)),
            };
            sum = sum.add(&part);
        }
        let moved = |v: Var| if v.0 >= base { Var(v.0 + self.ghosts.len() as u32) } else { v };
        let after = |v: Var| match before.iter().find(|u| u.0 == v) {
            Some(u) => Some(u.1.clone()),
            None => edge.after(v).map(|x| x.rename(moved)),
        };
        Some((self.ghost(t, &a.ghost)?, sum.subst(after)))
    }

    /// The steps that an assignment goes with, by template and edge: of its line those that lead to another one; or else, those that
    /// lead to the next line.
    fn steps(&self, p: &Program, a: &Assignment) -> Vec<(u32, usize)> {
        let lines = |e: &Edge| (e.span.file == a.remark.file).then_some(e.span.line);
        let all = || p.templates.iter().flat_map(|t| &t.edges).filter_map(lines);
        let next = all().filter(|l| *l > a.remark.line).min();
        let mut out = Vec::new();
        for (t, template) in (0u32..).zip(&p.templates) {
            let here = Some(a.remark.line);
            let mut after: Vec<BTreeSet<Option<u32>>> = vec![BTreeSet::new(); template.locations.len()];
            for e in &template.edges {
                after[e.from.0 as usize].insert(lines(e));
            }
            let among = template.edges.iter().any(|e| lines(e) == here);
            let goes = |e: &Edge| {
                let after = &after[e.to.0 as usize];
                if among {
                    lines(e) == here && (after.is_empty() || after.iter().any(|l| *l != here))
                } else {
                    next.is_some() && lines(e) != next && after.contains(&next)
                }
            };
            let steps = template.edges.iter().enumerate().filter(|(_, e)| goes(e));
            out.extend(steps.map(|(k, _)| (t, k)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<Option<Says>> {
        remarks(&[text.lines().map(str::to_string).collect()]).into_iter().map(|r| r.says).collect()
    }

    #[test]
    fn ghost_code_is_read() {
        let declares = |name: &str, own, start| Some(Says::Declares { name: name.into(), own, start });
        let some = |n: &str| Some(n.to_string());
        let assigns = |name: &str, sum: &[(i128, Option<String>)]| {
            Some(Says::Assigns { name: name.into(), sum: sum.to_vec() })
        };
        let text = "/*@ ghost int a = -3; _Thread_local int b;\n*/ x = 1; //@ ghost a = 2*x - w::y*3 + 1\n/*@ ghost a=-b */";
        let expected = [
            declares("a", false, -3),
            declares("b", true, 0),
            assigns("a", &[(2, some("x")), (-3, some("w::y")), (1, None)]),
            assigns("a", &[(-1, some("b"))]),
        ];
        assert_eq!(told(text), expected);
    }

    #[test]
    fn what_is_not_understood_says_nothing() {
        for text in [
            "int",
            "int 3 = x",
            "a = b * c",
            "a = ",
            "a = f(x)",
            "a += 1",
            "if (x) a = 1",
            "_Thread_local a = 1",
            "a = x -",
        ] {
            assert_eq!(told(&format!("/*@ ghost {text} */")), [None], "{text}");
        }
        for text in
            ["/* ghost int a */", "/*@ ghosts a = 1 */", "char *s = \"/*@ ghost int a */\";", "/*@ghost*/"]
        {
            assert_eq!(told(text), [], "{text}");
        }
    }
}
