//! Names that stand for others in a joined text, and the way back: what is said to people has the names of the files.

use crate::c::outline::Outline;
use crate::c::tokens::plain_name;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::{Fails, Function, LocationKind, Module, Object, Op, Shown, Violated};
use std::collections::BTreeMap;

/// What a name of the joined text is in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    /// The name itself.
    plain: String,
    /// The file, where others have an object or a function of that name.
    file: Option<String>,
}

/// The names of a joined text that are not those of its files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names(BTreeMap<String, Name>);

impl Names {
    /// Notes what a name is in its file; the file where the name alone does not tell.
    pub(super) fn add(&mut self, name: &str, plain: &str, file: Option<&str>) {
        let of = Name { plain: plain.into(), file: file.map(String::from) };
        self.0.insert(plain_name(name), of.clone());
        self.0.insert(name.into(), of);
    }

    /// The name as its file has it.
    pub fn plain<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, |n| &n.plain)
    }

    /// What the joined text has for a name of one of the files, if it has one thing for it.
    pub fn internal<'n>(&'n self, name: &'n str) -> &'n str {
        let mut all = self.0.iter().filter(|(_, n)| n.plain == name).map(|(new, _)| new.as_str());
        all.next().filter(|_| all.next().is_none()).unwrap_or(name)
    }

    /// A text with all names as their files have them.
    fn all_plain(&self, text: &str) -> String {
        self.each(text, |_, n| n.plain.clone())
    }

    /// The same, with the file after those that several files have: `n (a.c)`. Members and locals are of one.
    fn shown(&self, text: &str) -> String {
        self.each(text, |before, n| match &n.file {
            Some(file) if !before.ends_with(['.', '>', ':']) => format!("{} ({file})", n.plain),
            _ => n.plain.clone(),
        })
    }

    /// Has each name of the text replaced that is one of these; `new` is told what is before it.
    fn each(&self, text: &str, new: impl Fn(&str, &Name) -> String) -> String {
        let letter = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
        let (mut out, mut at) = (String::new(), 0);
        while let Some(start) = text[at..].find(letter).map(|n| at + n) {
            let end = text[start..].find(|c| !letter(c)).map_or(text.len(), |n| start + n);
            out.push_str(&text[at..start]);
            match self.0.get(&text[start..end]) {
                Some(name) => out.push_str(&new(&text[..start], name)),
                None => out.push_str(&text[start..end]),
            }
            at = end;
        }
        out + &text[at..]
    }

    /// The same diagnostic with the names of the files.
    pub fn diagnostic(&self, d: Diagnostic) -> Diagnostic {
        Diagnostic { message: self.shown(&d.message), help: self.shown(&d.help), ..d }
    }

    /// Gives all that a module names the names of the files.
    pub fn module(&self, m: &mut Module) {
        if self.0.is_empty() {
            return;
        }
        let show = |text: &mut String| *text = self.shown(text);
        m.objects.iter_mut().for_each(|o| self.object(o));
        m.functions.iter_mut().for_each(|f| self.function(f));
        m.heap.iter_mut().filter_map(|h| h.limit.as_mut()).for_each(show);
        m.assumes.iter_mut().for_each(show);
        m.checks.unreached.iter_mut().for_each(show);
        m.checks.notes.iter_mut().for_each(show);
        for p in &mut m.checks.places {
            if let Fails::By(names) = &mut p.fails {
                names.iter_mut().for_each(|n| *n = self.all_plain(n));
            }
        }
    }

    fn object(&self, o: &mut Object) {
        o.name = self.shown(&o.name);
        o.function = o.function.as_ref().map(|f| self.shown(f));
        o.cells.iter_mut().for_each(|(_, suffix)| *suffix = self.all_plain(suffix));
        for shown in &mut o.look.cells {
            if let Shown::Enumerators(all) = shown {
                *all = all.iter().map(|(name, value)| (self.all_plain(name), *value)).collect();
            }
        }
        if let Some(block) = &mut o.look.block {
            block.stem = self.all_plain(&block.stem);
        }
    }

    fn function(&self, f: &mut Function) {
        f.name = self.shown(&f.name);
        f.registers.iter_mut().for_each(|r| r.name = self.all_plain(&r.name));
        for l in &mut f.graph.locations {
            l.labels.iter_mut().for_each(|label| *label = self.all_plain(label));
            match &mut l.kind {
                LocationKind::Error(what) => self.violated(what),
                LocationKind::Limit(limit) => limit.what = self.shown(&limit.what),
                LocationKind::Normal | LocationKind::End => {}
            }
        }
        for e in &mut f.graph.edges {
            if let Op::Havoc { source, .. } = &mut e.op {
                source.name = self.shown(&source.name);
            }
        }
    }

    fn violated(&self, what: &mut Violated) {
        match what {
            Violated::Call(name) | Violated::Label(name) | Violated::Exclusive(name) => {
                *name = self.all_plain(name);
            }
            Violated::Race(race) => race.cells.iter_mut().for_each(|c| *c = self.shown(c)),
            _ => {}
        }
    }

    /// Gives all that an outline names the names of the files.
    pub fn outline(&self, o: &mut Outline) {
        if self.0.is_empty() {
            return;
        }
        let plain = |text: &String| self.all_plain(text);
        o.functions.iter_mut().for_each(|f| f.name = plain(&f.name));
        for p in o.functions.iter_mut().flat_map(|f| &mut f.parameters) {
            p.name = plain(&p.name);
            p.base = p.base.as_ref().map(plain);
        }
        for s in &mut o.statements {
            s.function = self.all_plain(&s.function).into();
            s.scope = std::sync::Arc::new(s.scope.iter().map(plain).collect());
        }
        for c in &mut o.calls {
            c.name = plain(&c.name);
            c.first = c.first.as_ref().map(plain);
        }
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        o.uses.iter().for_each(|(name, n)| *uses.entry(plain(name)).or_default() += n);
        o.uses = uses;
        o.globals = o.globals.iter().map(plain).collect();
        o.floating = o.floating.iter().map(plain).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_names_of_the_files() {
        let mut names = Names::default();
        names.add("n__1", "n", Some("b.c"));
        names.add("step__1", "step", None);
        names.add("a$__1", "a$", None);
        assert_eq!(names.shown("data race on `n__1[2]`"), "data race on `n (b.c)[2]`");
        assert_eq!(names.shown("q.n__1, step__1::n__1, n__12 a__dollar____1"), "q.n, step::n, n__12 a$");
        assert_eq!(names.plain("n__1"), "n");
        assert_eq!(names.plain("n"), "n");
    }
}
