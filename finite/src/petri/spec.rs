//! Reader of mist's format.
//!
//! Sections `vars`, `rules`, `init`, `target` and `invariants`. A rule is `x >= 1, y = 2 -> x' = x - 1, z' = z + x;`.
//! Initial numbers are exact or lower bounds. Conditions of the target are joined by commas; where none follows, a new
//! alternative begins. The hints in `invariants` are not needed.

use super::{Condition, Net, aim, conditions};
use crate::input::{InputError, Place};
use crate::model::{Config, Counts, Initial, Local, Names, System, Transfer, Transition};
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, InputError>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Name(&'a str),
    Number(u32),
    Sign(&'a str),
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name(t) | Token::Sign(t) => write!(f, "`{t}`"),
            Token::Number(n) => write!(f, "`{n}`"),
            Token::End => write!(f, "the end of the file"),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<(Token<'_>, Place)>> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        let (mut at, mut counted, mut column) = (0, 0, 1);
        while let Some(c) = code.get(at..).and_then(|t| t.chars().next()) {
            let rest = code.get(at..).unwrap_or("");
            column += code.get(counted..at).map_or(0, |t| t.chars().count());
            counted = at;
            let place = Place::new(number + 1, column);
            let word = |good: fn(char) -> bool| rest.find(|c| !good(c)).unwrap_or(rest.len());
            let (token, length) = if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            } else if c.is_ascii_digit() {
                let n = word(|c| c.is_ascii_digit());
                let digits = rest.get(..n).unwrap_or("");
                let value = digits.parse().ok().filter(|n: &u32| *n < u32::MAX);
                let value = value
                    .ok_or_else(|| InputError::new(place, format!("the number {digits} is too large")))?;
                (Token::Number(value), n)
            } else if c.is_ascii_alphabetic() || c == '_' {
                let n = word(|c| c.is_ascii_alphanumeric() || c == '_');
                (Token::Name(rest.get(..n).unwrap_or("")), n)
            } else {
                let signs = [">=", "->", "=", "'", "+", "-", ",", ";"];
                match signs.iter().find(|s| rest.starts_with(**s)) {
                    Some(s) => (Token::Sign(s), s.len()),
                    None => {
                        let e = InputError::new(place, format!("unexpected character `{c}`"));
                        return Err(e.help("conditions are `x >= n` and `x = n`"));
                    }
                }
            };
            out.push((token, place));
            at += length;
        }
    }
    Ok(out)
}

struct Reader<'a> {
    tokens: Vec<(Token<'a>, Place)>,
    next: usize,
    end: Place,
    places: FxHashMap<&'a str, Local>,
    names: Vec<String>,
}

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

impl<'a> Reader<'a> {
    fn peek(&self) -> (Token<'a>, Place) {
        self.tokens.get(self.next).copied().unwrap_or((Token::End, self.end))
    }
    fn take(&mut self) -> (Token<'a>, Place) {
        let t = self.peek();
        self.next += 1;
        t
    }
    fn accept(&mut self, sign: &str) -> bool {
        let there = self.peek().0 == Token::Sign(sign);
        self.next += usize::from(there);
        there
    }
    fn expect(&mut self, sign: &str) -> Result<()> {
        let (found, place) = self.peek();
        if self.accept(sign) {
            Ok(())
        } else {
            Err(InputError::new(place, format!("expected `{sign}`, found {found}")))
        }
    }
    fn section(&mut self, name: &str) -> Result<()> {
        match self.take() {
            (Token::Name(n), _) if n == name => Ok(()),
            (found, place) => {
                let e = InputError::new(place, format!("expected section `{name}`, found {found}"));
                Err(e.help("sections come in the order vars, rules, init, target, invariants"))
            }
        }
    }
    fn at_section(&self) -> bool {
        match self.peek().0 {
            Token::Name(n) => SECTIONS.contains(&n),
            t => t == Token::End,
        }
    }
    fn variable(&mut self) -> Result<(Local, Place)> {
        match self.take() {
            (Token::Name(n), place) => match self.places.get(n) {
                Some(p) => Ok((*p, place)),
                None => Err(InputError::new(place, format!("`{n}` is not among the vars"))),
            },
            (found, place) => Err(InputError::new(place, format!("expected a variable, found {found}"))),
        }
    }
    fn number(&mut self) -> Result<u32> {
        match self.take() {
            (Token::Number(n), _) => Ok(n),
            (found, place) => Err(InputError::new(place, format!("expected a number, found {found}"))),
        }
    }
    fn condition(&mut self) -> Result<Condition> {
        let (place, _) = self.variable()?;
        let exact = match self.take() {
            (Token::Sign("="), _) => true,
            (Token::Sign(">="), _) => false,
            (found, at) => return Err(InputError::new(at, format!("expected `>=` or `=`, found {found}"))),
        };
        Ok(Condition { place, tokens: self.number()?, exact })
    }
    /// Conditions with commas between them, and maybe one after them.
    fn conditions(&mut self) -> Result<Vec<Condition>> {
        let mut out = Vec::new();
        while !self.at_section() && self.peek().0 != Token::Sign("->") {
            out.push(self.condition()?);
            if !self.accept(",") {
                break;
            }
        }
        Ok(out)
    }

    /// Conditions of an alternative: one at least.
    fn alternative(&mut self) -> Result<Vec<Condition>> {
        let list = self.conditions()?;
        if list.is_empty() {
            let (found, place) = self.peek();
            return Err(InputError::new(place, format!("expected a condition, found {found}")));
        }
        Ok(list)
    }

    fn rule(&mut self) -> Result<Option<Transition>> {
        let (_, place) = self.peek();
        let guard = self.conditions()?;
        self.expect("->")?;
        // the new value of a place: a constant, and places with how often each is added
        let mut updates: FxHashMap<Local, (i64, Vec<Local>, Place)> = FxHashMap::default();
        while self.peek().0 != Token::Sign(";") {
            let (x, at) = self.variable()?;
            self.expect("'")?;
            self.expect("=")?;
            let sum = self.sum()?;
            if updates.insert(x, (sum.0, sum.1, at)).is_some() {
                return Err(InputError::new(at, format!("{} is updated twice", self.name(x))));
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect(";")?;
        let Some((take, absent)) = conditions(&guard) else { return Ok(None) };
        self.transition(take, absent, &updates, place).map(Some)
    }

    fn name(&self, x: Local) -> &str {
        self.names.get(x as usize).map_or("?", String::as_str)
    }

    fn sum(&mut self) -> Result<(i64, Vec<Local>)> {
        let (mut constant, mut places) = (0i64, Vec::new());
        let mut minus = self.accept("-");
        loop {
            match self.peek() {
                (Token::Number(n), _) => {
                    self.next += 1;
                    constant += if minus { -i64::from(n) } else { i64::from(n) };
                }
                (Token::Name(n), at) if !SECTIONS.contains(&n) => {
                    let (y, _) = self.variable()?;
                    if minus {
                        return Err(InputError::new(at, format!("{n} is subtracted")).help(
                            "only constants may be: transitions transfer and reset, and nothing else",
                        ));
                    }
                    places.push(y);
                }
                (found, at) => {
                    return Err(InputError::new(
                        at,
                        format!("expected a variable or a number, found {found}"),
                    ));
                }
            }
            if self.accept("+") {
                minus = false;
            } else if self.accept("-") {
                minus = true;
            } else {
                return Ok((constant, places));
            }
        }
    }

    /// What is there is what the guard takes and the rest. Of what is taken the new numbers are made; the rest moves.
    fn transition(
        &self,
        mut take: Counts,
        absent: Vec<Local>,
        updates: &FxHashMap<Local, (i64, Vec<Local>, Place)>,
        place: Place,
    ) -> Result<Transition> {
        // a number below 0 is none: such a step is not possible
        for (x, (constant, places, _)) in updates {
            let short = u32::try_from(-constant - i64::from(take.get(*x))).unwrap_or(0);
            if places.as_slice() == [*x] && absent.binary_search(x).is_err() {
                take.set(*x, take.get(*x).saturating_add(short));
            }
        }
        let mut put = Counts::new();
        let mut goes: FxHashMap<Local, Vec<Local>> = FxHashMap::default();
        let mut changed: Vec<Local> = updates.keys().copied().collect();
        changed.sort_unstable();
        for (l, n) in take.iter().filter(|x| !updates.contains_key(&x.0)) {
            put.set(l, n);
        }
        for x in &changed {
            let Some((constant, places, at)) = updates.get(x) else { continue };
            let taken: i64 = places.iter().map(|y| i64::from(take.get(*y))).sum();
            let Ok(n) = u32::try_from(taken + constant) else {
                return Err(InputError::new(*at, format!("{} may fall below 0", self.name(*x)))
                    .help("the guard has to ask for as many tokens as the update takes"));
            };
            put.set(*x, n);
            places.iter().for_each(|y| goes.entry(*y).or_default().push(*x));
        }
        let mut transfers = Vec::new();
        let mut moved: Vec<Local> = changed.iter().chain(goes.keys()).copied().collect();
        moved.sort_unstable();
        moved.dedup();
        for y in moved {
            if absent.binary_search(&y).is_ok() {
                continue;
            }
            let mut to = goes.remove(&y).unwrap_or_default();
            if !updates.contains_key(&y) {
                to.push(y);
            }
            match to.as_slice() {
                [x] if *x == y => {}
                [] | [_] => transfers.push(Transfer { from: y, to }),
                _ => {
                    return Err(InputError::new(
                        place,
                        format!("this rule copies the tokens of {}", self.name(y)),
                    )
                    .help("a transfer has to move them: set the place that they come from to 0"));
                }
            }
        }
        Ok(Transition { from: 0, to: 0, take, put, transfers, absent, place })
    }
}

/// Reads a net and its target.
pub fn spec(text: &str) -> Result<Net> {
    let end = Place::new(text.lines().count().max(1), 1);
    let mut r =
        Reader { tokens: tokens(text)?, next: 0, end, places: FxHashMap::default(), names: Vec::new() };
    r.section("vars")?;
    while !r.at_section() {
        match r.take() {
            (Token::Name(n), place) => {
                if r.places.insert(n, r.names.len() as Local).is_some() {
                    return Err(InputError::new(place, format!("`{n}` is declared twice")));
                }
                r.names.push(n.into());
            }
            (Token::Sign(","), _) => {}
            (found, place) => return Err(InputError::new(place, format!("expected a name, found {found}"))),
        }
    }
    if r.names.is_empty() {
        return Err(InputError::new(r.peek().1, "there are no vars"));
    }
    let mut system = System { shared: 1, local: r.names.len() as u32, ..System::default() };
    r.section("rules")?;
    while !r.at_section() {
        system.transitions.extend(r.rule()?);
    }
    let at = r.peek().1;
    r.section("init")?;
    let (initial, assumes) = initial(&r.conditions()?, &r.names, at)?;
    system.initial = vec![initial];
    system.names = Names { shared: Vec::new(), local: r.names.clone() };
    let at = r.peek().1;
    r.section("target")?;
    let mut target = Vec::new();
    while !r.at_section() {
        let place = r.peek().1;
        let list = r.alternative()?;
        aim(&mut system, &mut target, &list, place);
    }
    if target.is_empty() {
        return Err(InputError::new(at, "there is no target")
            .help("a target is a condition such as `x >= 1, y >= 2`"));
    }
    if r.peek().0 != Token::End {
        r.section("invariants")?;
        while !r.at_section() {
            r.alternative()?;
        }
    }
    match r.peek() {
        (Token::End, _) => Ok(Net { system, target, assumes }),
        (found, place) => Err(InputError::new(place, format!("expected the end of the file, found {found}"))),
    }
}

/// `init` is a condition: what it says nothing of may have any number of tokens.
fn initial(list: &[Condition], names: &[String], at: Place) -> Result<(Initial, Vec<String>)> {
    let contradiction = || InputError::new(at, "the initial conditions contradict each other");
    let (locals, exact) = conditions(list).ok_or_else(contradiction)?;
    let given: rustc_hash::FxHashSet<Local> = list.iter().map(|c| c.place).collect();
    let free = (0..).zip(names).filter(|(l, _)| !given.contains(l));
    let assumes =
        free.map(|(_, n)| format!("{n} starts with any number, since init says nothing of it")).collect();
    let any = (0..names.len() as Local).filter(|l| exact.binary_search(l).is_err()).collect();
    Ok((Initial { exactly: Config::new(0, locals), any }, assumes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = "vars\n x y z\nrules\n x >= 1, y = 2 -> x' = x + z, z' = 0, y' = y - 1;\n\
        z >= 1 -> z' = 0;\ninit x >= 1, y = 2, z = 0\ntarget x >= 2, y >= 1\nz >= 1\n";

    #[test]
    fn reads() {
        let Net { system: s, target: t, .. } = spec(NET).unwrap();
        let c = |v: &[u32]| Counts::of(v.iter().copied()).unwrap();
        assert_eq!(s.transitions[0].take, c(&[0, 1, 1]));
        assert_eq!(s.transitions[0].put, c(&[0, 1]));
        assert_eq!(s.transitions[0].absent, [1]);
        assert_eq!(s.transitions[0].transfers, [Transfer { from: 2, to: vec![0] }]);
        assert_eq!(s.transitions[1].transfers, [Transfer { from: 2, to: vec![] }]);
        assert_eq!(s.initial, [Initial { exactly: Config::new(0, c(&[0, 1, 1])), any: vec![0] }]);
        assert_eq!(t, [Config::new(0, c(&[0, 0, 1])), Config::new(0, c(&[2]))]);
    }

    #[test]
    fn exact_targets_become_places() {
        let Net { system: s, target: t, .. } =
            spec(&NET.replace("target x >= 2, y >= 1\nz >= 1", "target x >= 2, y = 1")).unwrap();
        assert_eq!((s.local, s.transitions.len()), (4, 3));
        assert_eq!(s.transitions[2].absent, [1]);
        assert_eq!(t, [Config::new(0, Counts::one(3))]);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |from: &str, to: &str| spec(&NET.replace(from, to)).unwrap_err().to_string();
        assert!(error("z' = 0, y'", "y'").starts_with("4:2: this rule copies the tokens of z"));
        assert!(error("y - 1", "z - 3").starts_with("4:39: y may fall below 0"));
        assert!(error("y - 1", "y - x").starts_with("4:48: x is subtracted"));
        assert!(error(" x y z", " x y y").starts_with("2:6: `y` is declared twice"));
        assert!(error("x >= 1,", "x <= 1,").starts_with("4:4: unexpected character `<`"));
        assert!(error("x >= 1, y = 2 ->", "w >= 1 ->").starts_with("4:2: `w` is not among the vars"));
        assert_eq!(
            spec(&NET.replace(
                ", z = 0
target",
                "
target"
            ))
            .unwrap()
            .assumes
            .len(),
            1
        );
        assert!(error("z >= 1\n", "z >= 1 -> x' = 0\n").starts_with("8:8: expected a condition"));
        assert!(error("target x", "target -> x").starts_with("7:8: expected a condition, found `->`"));
        assert!(error("init", "target").starts_with("6:1: expected section `init`, found `target`"));
    }
}
