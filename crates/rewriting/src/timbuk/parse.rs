//! Timbuk's format, section by section.

use super::lex::{Source, Token, lex};
use super::{
    Atom, Automaton, Op, OpId, Pattern, Place, Rule, StateId, Sum, System, Term, TermSet, Transition, Trs,
    VarId, condition_vars,
};
use relyant_cfa::diagnostic::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep terms may be nested in a file.
const DEPTH: u32 = 1000;

/// The most arguments an operator may take.
const ARITY: u32 = 1000;

/// Words that begin a section, or are part of one.
const KEYWORDS: [&str; 11] =
    ["Ops", "Vars", "AC", "TRS", "Automaton", "States", "Description", "Final", "Transitions", "Set", "if"];

/// What else real files may have.
const NOT_READ: [&str; 7] =
    ["Equations", "Approximation", "Prior", "Import", "Grammar", "Rules", "Assignment"];

/// Reads a text in Timbuk's format; an error is the first one, with its place.
pub fn parse(name: &str, text: &str) -> Result<System> {
    let source = Source { name, text };
    let tokens = lex(&source)?;
    let system = System { file: name.to_string(), ..System::default() };
    let mut p = Parser {
        source,
        tokens,
        at: 0,
        system,
        ops: FxHashMap::default(),
        vars: FxHashMap::default(),
        used: FxHashSet::default(),
    };
    p.file()?;
    Ok(p.system)
}

struct Parser<'a> {
    source: Source<'a>,
    tokens: Vec<(Token, Place)>,
    at: usize,
    system: System,
    /// Operators by name: their numbers.
    ops: FxHashMap<String, Vec<OpId>>,
    vars: FxHashMap<String, VarId>,
    /// Names of operators that a term has already used: `AC` comes before.
    used: FxHashSet<OpId>,
}

type Result<T> = std::result::Result<T, Diagnostic>;

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }
    fn place(&self) -> Place {
        self.tokens[self.at].1
    }
    fn skip(&mut self) {
        // the last word is the end of the file, and stays
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }
    fn error<T>(&self, place: Place, message: impl Into<String>, help: impl Into<String>) -> Result<T> {
        Err(self.source.error(place, message, help))
    }
    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = self.token().describe();
        self.error(self.place(), format!("expected {what}, found {found}"), "")
    }
    fn take(&mut self, token: &Token, what: &str) -> Result<()> {
        if self.token() != token {
            return self.expected(what);
        }
        self.skip();
        Ok(())
    }
    /// The word here, if it is a name.
    fn peek_name(&self) -> Option<&str> {
        match self.token() {
            Token::Word(w) if !KEYWORDS.contains(&w.as_str()) && !self.is_not_read(w) => Some(w),
            _ => None,
        }
    }
    /// A section that is not read, unless something declared has its name.
    fn is_not_read(&self, word: &str) -> bool {
        NOT_READ.contains(&word) && !self.ops.contains_key(word) && !self.vars.contains_key(word)
    }
    fn name(&mut self, what: &str) -> Result<(String, Place)> {
        let place = self.place();
        match self.peek_name().map(str::to_string) {
            Some(w) => {
                self.skip();
                Ok((w, place))
            }
            None => self.expected(what),
        }
    }

    fn file(&mut self) -> Result<()> {
        loop {
            let place = self.place();
            let word = match self.token() {
                Token::End => break,
                Token::Word(w) => w.clone(),
                _ => return self.expected("a section: Ops, Vars, AC, TRS, Automaton or Set"),
            };
            match word.as_str() {
                "Ops" => self.ops()?,
                "Vars" => self.variables()?,
                "AC" => self.ac()?,
                "TRS" => self.trs()?,
                "Automaton" => self.automaton()?,
                "Set" => self.set()?,
                w if self.is_not_read(w) => {
                    let message = format!("sections `{w}` are not read");
                    return self.error(
                        place,
                        message,
                        "leave it out; reachability is decided without approximation",
                    );
                }
                _ => return self.expected("a section: Ops, Vars, AC, TRS, Automaton or Set"),
            }
        }
        let end = self.place();
        if self.system.ops.is_empty() {
            return self.error(end, "there are no operators", "declare them: `Ops f:2 a:0`");
        }
        if self.system.automata.is_empty() {
            return self.error(end, "there is no set of bad terms", "give it as an `Automaton`");
        }
        if self.system.initial().next().is_none() {
            return self.error(end, "there are no initial terms", "give them as a `Set`");
        }
        Ok(())
    }

    fn ops(&mut self) -> Result<()> {
        if !self.used.is_empty() || self.system.ops.iter().any(|o| o.ac) {
            // what a name and what a natural is may not change halfway
            return self.error(self.place(), "operators are declared after they are used", "put Ops first");
        }
        self.skip();
        while self.peek_name().is_some() {
            let (name, place) = self.name("an operator")?;
            self.take(&Token::Colon, &format!("`:` and the number of arguments of `{name}`"))?;
            let at = self.place();
            let arity = match self.peek_name().and_then(|w| w.parse::<u32>().ok()) {
                Some(n) if n <= ARITY => n,
                Some(_) => {
                    return self.error(at, format!("no operator takes more than {ARITY} arguments"), "");
                }
                None => return self.expected("a number of arguments"),
            };
            self.skip();
            if self.vars.contains_key(&name) {
                return self.error(place, format!("`{name}` is a variable already"), "");
            }
            let same = self.ops.entry(name.clone()).or_default();
            if same.iter().any(|o| self.system.ops[o.0 as usize].arity == arity) {
                return self.error(place, format!("`{name}:{arity}` is declared twice"), "");
            }
            same.push(OpId(self.system.ops.len() as u32));
            self.system.ops.push(Op { name, arity, ac: false });
        }
        self.system.find_naturals();
        Ok(())
    }

    fn variables(&mut self) -> Result<()> {
        self.skip();
        while self.peek_name().is_some() {
            let (name, place) = self.name("a variable")?;
            if self.ops.contains_key(&name) {
                return self.error(place, format!("`{name}` is an operator already"), "");
            }
            let id = VarId(self.system.vars.len() as u32);
            if self.vars.insert(name.clone(), id).is_some() {
                return self.error(place, format!("`{name}` is declared twice"), "");
            }
            self.system.vars.push(name);
        }
        Ok(())
    }

    fn ac(&mut self) -> Result<()> {
        self.skip();
        while self.peek_name().is_some() {
            let (name, place) = self.name("an operator")?;
            let ids = self.ops.get(&name).cloned().unwrap_or_default();
            let Some(id) = ids.iter().copied().find(|o| self.system.op(*o).arity == 2) else {
                let message = format!("`{name}` is no operator of two arguments");
                return self.error(place, message, format!("declare it before: `Ops {name}:2`"));
            };
            // two or more arguments would not say which one is meant
            if ids.iter().any(|o| self.system.op(*o).arity > 2) {
                let message = format!("`{name}` takes more than two arguments too");
                return self.error(place, message, "an associative operator has one number of them");
            }
            if self.used.contains(&id) {
                let message = format!("`{name}` has been used before it is said to be AC");
                return self.error(place, message, "put AC before rules, automata and sets");
            }
            self.system.ops[id.0 as usize].ac = true;
        }
        Ok(())
    }

    fn trs(&mut self) -> Result<()> {
        self.skip();
        let (name, _) = self.name("the name of the system of rules")?;
        let mut rules = Vec::new();
        while self.peek_name().is_some() {
            let place = self.place();
            let left = self.term(0)?;
            if let Term::Var(_) = left {
                return self.error(
                    place,
                    "the left side of a rule is a variable",
                    "it would rewrite everything",
                );
            }
            self.take(&Token::Arrow, "`->` after the left side of the rule")?;
            let right = self.term(0)?;
            let condition = self.condition(&[&left, &right])?;
            rules.push(Rule { left, right, condition, place });
        }
        self.system.systems.push(Trs { name, rules });
        Ok(())
    }

    fn set(&mut self) -> Result<()> {
        self.skip();
        let (name, _) = self.name("the name of the set")?;
        let mut patterns = Vec::new();
        while self.peek_name().is_some() {
            let place = self.place();
            let term = self.term(0)?;
            let condition = self.condition(&[&term])?;
            patterns.push(Pattern { term, condition, place });
        }
        self.system.sets.push(TermSet { name, patterns });
        Ok(())
    }

    fn term(&mut self, depth: u32) -> Result<Term> {
        if depth > DEPTH {
            return self.error(self.place(), format!("terms are nested more than {DEPTH} deep"), "");
        }
        let (name, place) = self.name("a term")?;
        if let Some(v) = self.vars.get(&name).copied() {
            if *self.token() == Token::Open {
                return self.error(place, format!("`{name}` is a variable and takes no arguments"), "");
            }
            return Ok(Term::Var(v));
        }
        let mut args = Vec::new();
        if *self.token() == Token::Open {
            self.skip();
            if *self.token() != Token::Close {
                args.push(self.term(depth + 1)?);
                while *self.token() == Token::Comma {
                    self.skip();
                    args.push(self.term(depth + 1)?);
                }
            }
            self.take(&Token::Close, "`,` or `)`")?;
        }
        let op = self.operator(&name, args.len(), place)?;
        self.used.insert(op);
        Ok(Term::App(op, args))
    }

    fn operator(&self, name: &str, arguments: usize, place: Place) -> Result<OpId> {
        let Some(ids) = self.ops.get(name) else {
            let help = format!("declare it: `Ops {name}:{arguments}` or, for a variable, `Vars {name}`");
            return self.error(place, format!("`{name}` is not declared"), help);
        };
        if let Some(id) = self.system.find(name, arguments) {
            return Ok(id);
        }
        let takes: Vec<String> = ids.iter().map(|o| self.system.op(*o).arity.to_string()).collect();
        let s = if takes == ["1"] { "" } else { "s" };
        let message = format!("`{name}` takes {} argument{s}, not {arguments}", takes.join(" or "));
        self.error(place, message, "")
    }

    /// `if …`, or nothing. Its variables must be in one of the terms.
    fn condition(&mut self, terms: &[&Term]) -> Result<Vec<Atom>> {
        let mut atoms = Vec::new();
        if *self.token() != Token::Word("if".into()) {
            return Ok(atoms);
        }
        let place = self.place();
        if self.system.naturals.is_none() {
            let help = "declare `s:1` and exactly one of `zero:0`, `0:0` and `s:0`, the first number";
            return self.error(place, "conditions compare naturals, and there are none", help);
        }
        let mut known = FxHashSet::default();
        terms.iter().for_each(|t| {
            t.each_var(&mut |v| {
                known.insert(v);
            });
        });
        loop {
            self.skip();
            let start = self.place();
            let left = self.sum()?;
            let Token::Compare(comparison) = *self.token() else {
                return self.expected("a comparison: `<`, `<=`, `>`, `>=`, `=` or `!=`");
            };
            self.skip();
            let right = self.sum()?;
            let atom = Atom { left, comparison, right };
            if let Some(v) = condition_vars(&[atom]).find(|v| !known.contains(v)) {
                let name = &self.system.vars[v.0 as usize];
                return self.error(start, format!("`{name}` is in the condition only"), "");
            }
            atoms.push(atom);
            if *self.token() != Token::And {
                return Ok(atoms);
            }
        }
    }

    /// A natural in a condition.
    fn sum(&mut self) -> Result<Sum> {
        let mut plus = 0u64;
        let mut open = 0u64;
        let sum = loop {
            let (name, place) = self.name("a natural: a variable, `s(…)` or a number")?;
            if let Some(v) = self.vars.get(&name) {
                break Sum { var: Some(*v), plus };
            }
            if name == "s" && *self.token() == Token::Open {
                self.skip();
                open += 1;
                plus += 1;
                continue;
            }
            let first = match self.system.naturals {
                Some(n) if self.system.op(n.first).name == name => Some(n.value),
                _ => name.parse::<u64>().ok(),
            };
            match first.and_then(|n| n.checked_add(plus)).filter(|n| *n <= u64::from(u32::MAX)) {
                Some(plus) => break Sum { var: None, plus },
                None if first.is_some() || name.chars().all(|c| c.is_ascii_digit()) => {
                    return self.error(place, "this number is too large", "numbers end at 4294967295");
                }
                None => {
                    let help = "naturals are variables, `s(…)` and numbers";
                    return self.error(place, format!("`{name}` is no natural"), help);
                }
            }
        };
        for _ in 0..open {
            self.take(&Token::Close, "`)`")?;
        }
        Ok(sum)
    }

    fn automaton(&mut self) -> Result<()> {
        let place = self.place();
        self.skip();
        let (name, _) = self.name("the name of the automaton")?;
        let mut a =
            Automaton { name, states: Vec::new(), finals: Vec::new(), transitions: Vec::new(), place };
        let mut states: FxHashMap<String, StateId> = FxHashMap::default();
        let mut parts = FxHashSet::default();
        while let Token::Word(part) = self.token().clone() {
            match part.as_str() {
                "States" => {
                    self.skip();
                    self.states(&mut a, &mut states)?;
                }
                "Description" => {
                    self.skip();
                    while self.peek_name().is_some() {
                        self.skip();
                        self.take(&Token::Colon, "`:` and a text")?;
                        self.take(&Token::Text, "a text in quotes")?;
                    }
                }
                "Final" => {
                    self.skip();
                    self.take(&Token::Word("States".into()), "`States` after `Final`")?;
                    while self.peek_name().is_some() {
                        a.finals.push(self.state(&states)?);
                    }
                }
                "Transitions" => {
                    self.skip();
                    while self.peek_name().is_some() {
                        let t = self.transition(&states)?;
                        a.transitions.push(t);
                    }
                }
                _ => break,
            }
            parts.insert(part);
        }
        for part in ["States", "Final", "Transitions"] {
            if !parts.contains(part) {
                let title = if part == "Final" { "Final States" } else { part };
                return self.expected(&format!("`{title}` of automaton {}", a.name));
            }
        }
        self.system.automata.push(a);
        Ok(())
    }

    fn states(&mut self, a: &mut Automaton, states: &mut FxHashMap<String, StateId>) -> Result<()> {
        while self.peek_name().is_some() {
            let (name, place) = self.name("a state")?;
            if *self.token() == Token::Colon {
                // Timbuk lets states have an arity, which is 0
                self.skip();
                self.take(&Token::Word("0".into()), "0, the number of arguments of a state")?;
            }
            if self.ops.contains_key(&name) || self.vars.contains_key(&name) {
                let what = if self.ops.contains_key(&name) { "an operator" } else { "a variable" };
                return self.error(
                    place,
                    format!("`{name}` is {what} already"),
                    "give the state another name",
                );
            }
            if states.insert(name.clone(), StateId(a.states.len() as u32)).is_some() {
                return self.error(place, format!("state `{name}` is declared twice"), "");
            }
            a.states.push(name);
        }
        Ok(())
    }

    fn state(&mut self, states: &FxHashMap<String, StateId>) -> Result<StateId> {
        let (name, place) = self.name("a state")?;
        match states.get(&name) {
            Some(q) => Ok(*q),
            None => {
                self.error(place, format!("`{name}` is no state of this automaton"), "declare it in `States`")
            }
        }
    }

    fn transition(&mut self, states: &FxHashMap<String, StateId>) -> Result<Transition> {
        let (name, place) = self.name("a transition")?;
        if let Some(p) = states.get(&name) {
            self.take(&Token::Arrow, "`->`")?;
            return Ok(Transition::Epsilon(*p, self.state(states)?));
        }
        let mut args = Vec::new();
        if *self.token() == Token::Open {
            self.skip();
            if *self.token() != Token::Close {
                args.push(self.state(states)?);
                while *self.token() == Token::Comma {
                    self.skip();
                    args.push(self.state(states)?);
                }
            }
            self.take(&Token::Close, "`,` or `)`")?;
        }
        let op = self.operator(&name, args.len(), place)?;
        if args.len() > self.system.op(op).arity as usize {
            let message = format!("`{name}` takes 2 arguments in a transition, not {}", args.len());
            return self.error(place, message, "");
        }
        self.used.insert(op);
        self.take(&Token::Arrow, "`->`")?;
        Ok(Transition::Op(op, args, self.state(states)?))
    }
}
