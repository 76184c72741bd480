//! From words to a program as it is written.

use super::ast::{Ast, Exp, Kind, Name, Proc, Stmt};
use super::expr::Expr;
use super::lex::{Word, words};
use crate::input::{InputError, Place};

/// Nested expressions and statements.
const DEPTH: u32 = 200;
/// Values of a procedure.
const RETURNS: u32 = 1 << 16;

const KEYWORDS: [&str; 35] = [
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "skip",
    "goto",
    "return",
    "if",
    "then",
    "else",
    "elsif",
    "elseif",
    "fi",
    "while",
    "do",
    "od",
    "assume",
    "assert",
    "enforce",
    "dead",
    "start_thread",
    "end_thread",
    "atomic_begin",
    "atomic_end",
    "lock",
    "unlock",
    "constrain",
    "schoose",
    "T",
    "F",
    "print",
    "abortif",
    "sync",
    "dfs",
];

type Result<T> = std::result::Result<T, InputError>;

struct Parser {
    words: Vec<(Word, Place)>,
    at: usize,
    depth: u32,
}

/// Parses a program, without resolving its names.
pub fn parse(text: &str) -> Result<Ast> {
    let mut p = Parser { words: words(text)?, at: 0, depth: 0 };
    let mut ast = Ast::default();
    loop {
        if p.is_name("decl") {
            p.decl(&mut ast.globals)?;
        } else if p.is_name("void") || p.is_name("bool") {
            ast.procs.push(p.proc()?);
        } else if *p.word() == Word::End {
            return Ok(ast);
        } else {
            return Err(p.unexpected("a declaration ('decl') or a procedure ('void', 'bool')"));
        }
    }
}

impl Parser {
    fn word(&self) -> &Word {
        self.words.get(self.at).map_or(&Word::End, |w| &w.0)
    }
    fn ahead(&self, n: usize) -> &Word {
        self.words.get(self.at + n).map_or(&Word::End, |w| &w.0)
    }
    fn place(&self) -> Place {
        self.words.get(self.at).or(self.words.last()).map(|w| w.1).unwrap_or_default()
    }
    fn is_name(&self, n: &str) -> bool {
        matches!(self.word(), Word::Name(w) if w == n)
    }
    fn is_sign(&self, s: &str) -> bool {
        matches!(self.word(), Word::Sign(w) if *w == s)
    }
    fn take(&mut self, s: &str) -> bool {
        let found = self.is_sign(s);
        self.at += usize::from(found);
        found
    }
    fn take_name(&mut self, n: &str) -> bool {
        let found = self.is_name(n);
        self.at += usize::from(found);
        found
    }
    fn unexpected(&self, wanted: &str) -> InputError {
        InputError::new(self.place(), format!("{} where {wanted} was expected", self.word().show()))
    }
    fn sign(&mut self, s: &'static str) -> Result<()> {
        if self.take(s) { Ok(()) } else { Err(self.unexpected(&format!("'{s}'"))) }
    }
    fn keyword(&mut self, n: &'static str) -> Result<()> {
        if self.take_name(n) { Ok(()) } else { Err(self.unexpected(&format!("'{n}'"))) }
    }
    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(InputError::new(self.place(), format!("nested more than {DEPTH} deep"))
                .help("name parts of it by variables or procedures"));
        }
        Ok(())
    }

    /// A name that is no keyword.
    fn name(&mut self, what: &str) -> Result<Name> {
        let place = self.place();
        match self.word() {
            Word::Name(n) if !KEYWORDS.contains(&n.as_str()) => {
                let text = n.clone();
                self.at += 1;
                Ok(Name { text, place })
            }
            _ => Err(self.unexpected(what)),
        }
    }
    fn names(&mut self, what: &str) -> Result<Vec<Name>> {
        let mut out = vec![self.name(what)?];
        while self.take(",") {
            out.push(self.name(what)?);
        }
        Ok(out)
    }

    fn decl(&mut self, out: &mut Vec<Name>) -> Result<()> {
        self.keyword("decl")?;
        out.extend(self.names("a variable's name")?);
        self.sign(";")
    }

    fn proc(&mut self) -> Result<Proc> {
        let returns = if self.take_name("void") {
            0
        } else {
            self.keyword("bool")?;
            if self.take("<") { self.count()? } else { 1 }
        };
        let name = self.name("a procedure's name")?;
        self.sign("(")?;
        let params = if self.is_sign(")") { Vec::new() } else { self.names("a parameter")? };
        self.sign(")")?;
        self.keyword("begin")?;
        let (mut locals, mut enforce) = (Vec::new(), Vec::new());
        loop {
            if self.is_name("decl") {
                self.decl(&mut locals)?;
            } else if self.take_name("enforce") {
                enforce.push(self.expr()?);
                self.sign(";")?;
            } else {
                break;
            }
        }
        let body = self.stmts()?;
        let end = self.place();
        self.keyword("end")?;
        self.take(";");
        let enforce = if enforce.is_empty() { None } else { Some(Expr::And(enforce)) };
        Ok(Proc { name, returns, params, locals, enforce, body, end })
    }

    fn count(&mut self) -> Result<u32> {
        let place = self.place();
        let Word::Number(n) = self.word() else { return Err(self.unexpected("a number")) };
        let n = n.parse().ok().filter(|n| *n <= RETURNS);
        self.at += 1;
        self.sign(">")?;
        n.ok_or_else(|| InputError::new(place, format!("more than {RETURNS} values")).help("return fewer"))
    }

    /// Statements up to the word that closes their block.
    fn stmts(&mut self) -> Result<Vec<Stmt>> {
        self.deeper()?;
        let mut out = Vec::new();
        loop {
            while self.take(";") {}
            let closes = ["end", "fi", "od", "else", "elsif", "elseif"].iter().any(|w| self.is_name(w));
            if closes || *self.word() == Word::End {
                self.depth -= 1;
                return Ok(out);
            }
            let mut labels = Vec::new();
            while matches!(self.ahead(1), Word::Sign(":")) {
                labels.push(self.name("a label")?);
                self.at += 1;
            }
            let place = self.place();
            let kind = self.stmt()?;
            let block = matches!(kind, Kind::If(..) | Kind::While(..));
            out.push(Stmt { labels, kind, place });
            let last = ["end", "fi", "od", "else", "elsif", "elseif"].iter().any(|w| self.is_name(w));
            if !self.take(";") && !block && !last {
                return Err(self.unexpected("';'"));
            }
        }
    }

    fn stmt(&mut self) -> Result<Kind> {
        let Word::Name(word) = self.word().clone() else {
            // A label before the end of its block, or an empty statement.
            return if self.is_sign(";") { Ok(Kind::Skip) } else { Err(self.unexpected("a statement")) };
        };
        if matches!(word.as_str(), "end" | "fi" | "od" | "else" | "elsif" | "elseif") {
            return Ok(Kind::Skip);
        }
        if !KEYWORDS.contains(&word.as_str()) {
            return self.simple();
        }
        let place = self.place();
        self.at += 1;
        Ok(match word.as_str() {
            "skip" => Kind::Skip,
            "goto" => Kind::Goto(self.names("a label")?),
            "return" => {
                let ends = self.is_sign(";") || self.is_name("end") || self.is_name("fi");
                let ends = ends || self.is_name("else") || self.is_name("od") || self.is_name("elsif");
                Kind::Return(if ends { Vec::new() } else { self.exprs()? })
            }
            "assume" => Kind::Assume(self.expr()?),
            "assert" => Kind::Assert(self.expr()?),
            "dead" => Kind::Dead(self.names("a variable's name")?),
            "end_thread" => Kind::EndThread,
            "atomic_begin" => Kind::AtomicBegin,
            "atomic_end" => Kind::AtomicEnd,
            "lock" => Kind::Lock(self.name("a lock's name")?),
            "unlock" => Kind::Unlock(self.name("a lock's name")?),
            "start_thread" => self.spawn()?,
            "if" => return self.branch(place),
            "while" => {
                let condition = self.expr()?;
                self.keyword("do")?;
                let body = self.stmts()?;
                self.keyword("od")?;
                Kind::While(condition, body)
            }
            "decl" | "enforce" => {
                return Err(InputError::new(place, format!("'{word}' after the first statement"))
                    .help("put it right behind the procedure's 'begin'"));
            }
            _ => {
                return Err(InputError::new(place, format!("'{word}' is no statement that is known here"))
                    .help("write it with assignments, assume and goto"));
            }
        })
    }

    fn spawn(&mut self) -> Result<Kind> {
        if self.take_name("goto") {
            return Ok(Kind::SpawnAt(self.name("a label")?));
        }
        let proc = self.name("a procedure's name, or 'goto' and a label,")?;
        if self.is_sign("(") {
            return Ok(Kind::Spawn { proc, args: self.args()? });
        }
        Ok(Kind::SpawnAt(proc))
    }

    fn branch(&mut self, place: Place) -> Result<Kind> {
        let mut arms = Vec::new();
        let mut place = place;
        loop {
            let condition = self.expr()?;
            self.keyword("then")?;
            arms.push((condition, self.stmts()?, place));
            place = self.place();
            if !self.take_name("elsif") && !self.take_name("elseif") {
                break;
            }
        }
        let other = if self.take_name("else") { self.stmts()? } else { Vec::new() };
        self.keyword("fi")?;
        Ok(Kind::If(arms, other))
    }

    /// An assignment or a call.
    fn simple(&mut self) -> Result<Kind> {
        if matches!(self.ahead(1), Word::Sign("(")) {
            let proc = self.name("a procedure's name")?;
            return Ok(Kind::Call { targets: Vec::new(), proc, args: self.args()? });
        }
        let targets = self.names("a variable's name")?;
        self.sign(":=")?;
        if let (Word::Name(n), Word::Sign("(")) = (self.word(), self.ahead(1)) {
            if !KEYWORDS.contains(&n.as_str()) {
                let proc = self.name("a procedure's name")?;
                return Ok(Kind::Call { targets, proc, args: self.args()? });
            }
        }
        let values = self.exprs()?;
        let constrain = if self.take_name("constrain") { Some(self.expr()?) } else { None };
        Ok(Kind::Assign { targets, values, constrain })
    }

    fn args(&mut self) -> Result<Vec<Exp>> {
        self.sign("(")?;
        let out = if self.is_sign(")") { Vec::new() } else { self.exprs()? };
        self.sign(")")?;
        Ok(out)
    }

    fn exprs(&mut self) -> Result<Vec<Exp>> {
        let mut out = vec![self.expr()?];
        while self.take(",") {
            out.push(self.expr()?);
        }
        Ok(out)
    }

    /// C's precedence, implication below all.
    fn expr(&mut self) -> Result<Exp> {
        self.deeper()?;
        let left = self.chain(0)?;
        let out = if self.take("->") || self.take("=>") {
            let right = self.expr()?;
            Expr::Or(vec![Expr::Not(Box::new(left)), right])
        } else {
            left
        };
        self.depth -= 1;
        Ok(out)
    }

    fn chain(&mut self, level: usize) -> Result<Exp> {
        const LEVELS: [&[&str]; 6] =
            [&["||"], &["&&"], &["|"], &["^"], &["&"], &["==", "=", "!=", "<->", "<=>"]];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let first = self.chain(level + 1)?;
        let (mut out, mut depth) = (first, 0);
        while let Some(sign) = signs.iter().find(|s| self.is_sign(s)) {
            self.at += 1;
            let right = self.chain(level + 1)?;
            out = match (*sign, out) {
                ("||" | "|", Expr::Or(mut es)) if depth > 0 => {
                    es.push(right);
                    Expr::Or(es)
                }
                ("||" | "|", left) => Expr::Or(vec![left, right]),
                ("&&" | "&", Expr::And(mut es)) if depth > 0 => {
                    es.push(right);
                    Expr::And(es)
                }
                ("&&" | "&", left) => Expr::And(vec![left, right]),
                ("^" | "!=", left) => Expr::Not(Box::new(Expr::Iff(Box::new(left), Box::new(right)))),
                (_, left) => Expr::Iff(Box::new(left), Box::new(right)),
            };
            depth += 1;
            if level != 0 && level != 1 && level != 2 && level != 4 && depth > DEPTH {
                return Err(InputError::new(self.place(), format!("more than {DEPTH} equalities in a row"))
                    .help("name parts of it by variables"));
            }
        }
        Ok(out)
    }

    fn unary(&mut self) -> Result<Exp> {
        if self.take("!") || self.take("~") {
            self.deeper()?;
            let e = self.unary()?;
            self.depth -= 1;
            return Ok(Expr::Not(Box::new(e)));
        }
        if self.take("(") {
            let e = self.expr()?;
            self.sign(")")?;
            return Ok(e);
        }
        if self.take("*") {
            return Ok(Expr::Any);
        }
        if self.take("'") {
            return Ok(Expr::Next(self.name("a variable's name")?));
        }
        match self.word().clone() {
            Word::Number(n) if n == "0" || n == "1" => {
                self.at += 1;
                Ok(Expr::Const(n == "1"))
            }
            Word::Name(n) if n == "T" || n == "F" => {
                self.at += 1;
                Ok(Expr::Const(n == "T"))
            }
            Word::Name(n) if n == "schoose" => {
                self.at += 1;
                self.sign("[")?;
                let yes = self.expr()?;
                self.sign(",")?;
                let no = self.expr()?;
                self.sign("]")?;
                Ok(Expr::Choose(Box::new(yes), Box::new(no)))
            }
            Word::Name(_) => {
                let name = self.name("an expression")?;
                if self.is_sign("(") {
                    return Err(InputError::new(name.place, "a call inside of an expression")
                        .help("assign the result to a variable first"));
                }
                if *self.word() == Word::Prime {
                    self.at += 1;
                    return Ok(Expr::Next(name));
                }
                Ok(Expr::Var(name))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }
}
