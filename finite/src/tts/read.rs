//! Reader of thread transition systems.
//!
//! The first line has the numbers of shared and local states. Then a transition a line, `#` starts a comment:
//! `s l -> s' l'` a thread's step, `s l +> s' l'` a spawn, either with transfers `p ~> p'` of all other threads; and
//! `s l ~> s' l'` a broadcast. Broadcasts between the same two shared states are one step (Kaiser, Kroening and Wahl,
//! TOPLAS 2014, section 2.2).

use crate::input::{InputError, Place};
use crate::model::{Config, Counts, Initial, Local, Shared, System, Target, Transfer, Transition};
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, InputError>;

/// Local states of one system: what would take gigabytes is a slip.
const MOST: u32 = 1 << 26;

/// The words of a line, with their columns.
struct Line<'a> {
    number: usize,
    words: Vec<(usize, &'a str)>,
    next: usize,
    end: usize,
}

impl<'a> Line<'a> {
    fn new(number: usize, text: &'a str) -> Line<'a> {
        let code = text.split('#').next().unwrap_or("");
        let mut words = Vec::new();
        let mut column = 1;
        for part in code.split_inclusive(char::is_whitespace) {
            let word = part.trim_end();
            if !word.is_empty() {
                words.push((column, word));
            }
            column += part.chars().count();
        }
        Line { number, words, next: 0, end: code.trim_end().chars().count() + 1 }
    }
    fn place(&self) -> Place {
        Place::new(self.number, self.words.get(self.next).map_or(self.end, |w| w.0))
    }
    fn is_done(&self) -> bool {
        self.next >= self.words.len()
    }
    fn word(&mut self, what: &str) -> Result<&'a str> {
        let place = self.place();
        let word =
            self.words.get(self.next).ok_or_else(|| InputError::new(place, format!("{what} is missing")))?;
        self.next += 1;
        Ok(word.1)
    }
    fn number(&mut self, what: &str, below: Option<u32>) -> Result<u32> {
        let place = self.place();
        let word = self.word(what)?;
        number(word, what, below, place)
    }
}

fn number(word: &str, what: &str, below: Option<u32>, place: Place) -> Result<u32> {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if !plain {
        return Err(InputError::new(place, format!("expected {what}, found `{word}`")));
    }
    let n: u32 = word.parse().map_err(|_| InputError::new(place, format!("{what} {word} is too large")))?;
    match below {
        Some(limit) if n >= limit => {
            let there =
                limit.checked_sub(1).map_or("there is none".into(), |m| format!("they go from 0 to {m}"));
            Err(InputError::new(place, format!("{what} {n} does not exist: {there}")))
        }
        _ => Ok(n),
    }
}

/// Reads a system. Its initial configurations are `0/0` until told otherwise.
pub fn system(text: &str) -> Result<System> {
    let mut lines =
        text.lines().enumerate().map(|(i, l)| Line::new(i + 1, l)).filter(|l| !l.words.is_empty());
    let Some(mut head) = lines.next() else {
        return Err(InputError::new(Place::new(1, 1), "the numbers of shared and local states are missing")
            .help("the first line is `S L`"));
    };
    let size = |line: &mut Line, what: &str| {
        let place = line.place();
        let n = line.number(what, None)?;
        if n == 0 || n > MOST {
            return Err(InputError::new(place, format!("{what} must be from 1 to {MOST}")));
        }
        Ok(n)
    };
    let shared = size(&mut head, "the number of shared states")?;
    let local = size(&mut head, "the number of local states")?;
    if !head.is_done() {
        return Err(InputError::new(head.place(), "only two numbers are expected here"));
    }
    let mut transitions: Vec<Transition> = Vec::new();
    let mut broadcasts: BTreeMap<(Shared, Shared), usize> = BTreeMap::new();
    for mut line in lines {
        let from = line.number("shared state", Some(shared))?;
        let mover = line.number("local state", Some(local))?;
        let place = line.place();
        let arrow = line.word("`->`, `+>` or `~>`")?;
        let to = line.number("shared state", Some(shared))?;
        let moved = line.number("local state", Some(local))?;
        let begin = Place::new(line.number, 1);
        let mut t = Transition { from, to, place: begin, ..Transition::default() };
        match arrow {
            "->" => (t.take, t.put) = (Counts::one(mover), Counts::one(moved)),
            "+>" => {
                t.take = Counts::one(mover);
                t.put = Counts::of([mover, moved]).unwrap_or_default();
            }
            "~>" => {
                if !line.is_done() {
                    return Err(InputError::new(line.place(), "a broadcast takes no transfers")
                        .help("write each of its transfers as a broadcast between the same shared states"));
                }
                let i = *broadcasts.entry((from, to)).or_insert(transitions.len());
                if i == transitions.len() {
                    transitions.push(t);
                }
                if let Some(t) = transitions.get_mut(i) {
                    transfer(&mut t.transfers, mover, moved);
                }
                continue;
            }
            _ => {
                return Err(InputError::new(place, format!("expected `->`, `+>` or `~>`, found `{arrow}`"))
                    .help("thread transitions, spawns and broadcasts are supported"));
            }
        }
        while !line.is_done() {
            let p = line.number("local state", Some(local))?;
            let place = line.place();
            let arrow = line.word("`~>`")?;
            if arrow != "~>" {
                return Err(InputError::new(place, format!("expected `~>`, found `{arrow}`"))
                    .help("after a step come transfers of the other threads, `p ~> q`"));
            }
            let q = line.number("local state", Some(local))?;
            transfer(&mut t.transfers, p, q);
        }
        // a thread that may only stay needs no transfer
        t.transfers.retain(|x| x.to != [x.from]);
        transitions.push(t);
    }
    let initial = vec![Initial { exactly: Config::default(), any: vec![0] }];
    Ok(System { shared, local, transitions, initial, ..System::default() })
}

fn transfer(transfers: &mut Vec<Transfer>, from: Local, to: Local) {
    match transfers.binary_search_by_key(&from, |t| t.from) {
        Err(i) => transfers.insert(i, Transfer { from, to: vec![to] }),
        Ok(i) => {
            if let Some(Err(j)) = transfers.get(i).map(|t| t.to.binary_search(&to)) {
                transfers[i].to.insert(j, to);
            }
        }
    }
}

/// Reads a target, `s|l1,l2,...`: a shared state and a multiset of local states. Alternatives come on lines of their own.
/// Local states that the system does not have become ones in which there is never a thread; returns them.
pub fn target(text: &str, system: &mut System) -> Result<(Target, Vec<Local>)> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        if code.trim().is_empty() {
            continue;
        }
        let Some((shared, locals)) = code.split_once('|') else {
            return Err(
                InputError::new(Place::new(i + 1, 1), "expected a target").help("write it as `s|l1,l2,...`")
            );
        };
        let s = part(shared, "shared state", system.shared, i, code)?;
        let locals = list(locals, MOST, i, code)?;
        let counts = Counts::of(locals)
            .ok_or_else(|| InputError::new(Place::new(i + 1, 1), "too many threads in one local state"))?;
        out.push(Config::new(s, counts));
    }
    if out.is_empty() {
        return Err(InputError::new(Place::new(1, 1), "there is no target").help("write it as `s|l1,l2,...`"));
    }
    let mut foreign: Vec<Local> = out.iter().flat_map(|c| c.locals.iter()).map(|x| x.0).collect();
    foreign.retain(|l| *l >= system.local);
    foreign.sort_unstable();
    foreign.dedup();
    system.local = foreign.last().map_or(system.local, |l| l + 1);
    Ok((out, foreign))
}

/// Reads initial configurations: `s|b1,b2` a thread in each, `s/u` any number in each, `s|b/u` both.
pub fn initial(text: &str, system: &System) -> Result<Initial> {
    let help = "write them as `s|b`, `s/u` or `s|b/u`";
    let (text, any) = match text.split_once('/') {
        Some((a, b)) => (a, list(b, system.local, 0, text)?),
        None if !text.contains('|') => {
            return Err(InputError::new(Place::new(1, 1), "expected initial configurations").help(help));
        }
        None => (text, Vec::new()),
    };
    let (shared, bound) = match text.split_once('|') {
        Some((a, b)) => (a, list(b, system.local, 0, text)?),
        None => (text, Vec::new()),
    };
    let s = part(shared, "shared state", system.shared, 0, text)?;
    let locals = Counts::of(bound)
        .ok_or_else(|| InputError::new(Place::new(1, 1), "too many threads in one local state"))?;
    let mut any = any;
    any.sort_unstable();
    any.dedup();
    Ok(Initial { exactly: Config::new(s, locals), any })
}

/// `part` is a slice of `whole`, whose place in it makes the column.
fn part(part: &str, what: &str, below: u32, line: usize, whole: &str) -> Result<u32> {
    let lead = part.len() - part.trim_start().len();
    let offset = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize) + lead;
    let read = |column| number(part.trim(), what, Some(below), Place::new(line + 1, column));
    // The column is counted for messages only: lines may be long.
    read(1).or_else(|_| read(whole.get(..offset).map_or(0, |t| t.chars().count()) + 1))
}

fn list(text: &str, below: u32, line: usize, whole: &str) -> Result<Vec<u32>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(|p| part(p, "local state", below, line, whole)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        system(text).unwrap_err().to_string()
    }

    #[test]
    fn reads_all_kinds() {
        let mut s =
            system("# two\n2 3\n0 0 -> 1 1 2 ~> 0 2 ~> 1\n\n1 1 +> 0 2\n0 1 ~> 1 2 # b\n0 0 ~> 1 1\n")
                .unwrap();
        assert_eq!((s.shared, s.local, s.transitions.len()), (2, 3, 3));
        let step = &s.transitions[0];
        assert_eq!(step.transfers, [Transfer { from: 2, to: vec![0, 1] }]);
        assert_eq!(s.transitions[1].put, Counts::of([1, 2]).unwrap());
        let b = &s.transitions[2];
        assert!(b.take.is_empty() && b.put.is_empty());
        assert_eq!(b.transfers.len(), 2);
        s.validate(&vec![]).unwrap();
        let (t, foreign) = target("1|2,0,2\n0|\n", &mut s).unwrap();
        assert!(foreign.is_empty());
        assert_eq!(t, [Config::new(1, Counts::of([0, 2, 2]).unwrap()), Config::new(0, Counts::new())]);
        let i = initial("1|0,0/2", &s).unwrap();
        assert!(i.contains(&Config::new(1, Counts::of([0, 0, 2]).unwrap())));
        assert!(!i.contains(&Config::new(1, Counts::of([0, 2]).unwrap())));
        assert!(i.covers(&Config::new(1, Counts::of([0, 2]).unwrap())));
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(
            error(""),
            "1:1: the numbers of shared and local states are missing (the first line is `S L`)"
        );
        assert_eq!(error("2 2\n0 0 -> 0 2\n"), "2:10: local state 2 does not exist: they go from 0 to 1");
        assert_eq!(error("2 2\n0 0 -> 0\n"), "2:9: local state is missing");
        assert_eq!(error("2 2\n0 x -> 0 0\n"), "2:3: expected local state, found `x`");
        assert!(error("2 2\n0 0 => 0 0\n").starts_with("2:5: expected `->`, `+>` or `~>`, found `=>`"));
        assert!(error("2 2\n0 0 ~> 0 0 1 ~> 1\n").starts_with("2:12: a broadcast takes no transfers"));
        assert!(error("0 2\n").starts_with("1:1: the number of shared states must be"));
        let mut s = system("1 2\n").unwrap();
        assert_eq!(target("0|1,x", &mut s).unwrap_err().place, Place::new(1, 5));
        assert_eq!(target("1|1", &mut s).unwrap_err().place, Place::new(1, 1));
        assert_eq!(target("0|1,7", &mut s).unwrap().1, [7]);
        assert_eq!(initial("0/9", &s).unwrap_err().place, Place::new(1, 3));
        assert!(initial("0", &s).is_err());
    }
}
