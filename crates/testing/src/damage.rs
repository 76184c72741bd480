//! Damaged texts of any language: what a reader must refuse or read, but not fall over.

use super::rng::Rng;

/// What readers trip over: numbers at the edges, brackets that never close, other alphabets.
const ODD: [&str; 30] = [
    "0",
    "-1",
    "1e999",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "-9223372036854775809",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "&",
    "*",
    "!",
    "- ",
    "\n",
    "\u{0}",
    "\u{feff}",
    "é",
];

/// The bytes with one to four changes: pieces removed, doubled, moved, replaced or taken from another text; now and
/// then something is repeated so often that a reader that recurses runs out of stack.
pub fn damage(texts: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed ^ 0x6461_6d61_6765_0000);
    let mut text = rng.pick(texts);
    for _ in 0..1 + rng.below(4) {
        change(&mut text, texts, &mut rng);
    }
    text
}

fn change(text: &mut Vec<u8>, texts: &[Vec<u8>], rng: &mut Rng) {
    let (from, to) = piece(text, rng);
    let odd = |rng: &mut Rng| rng.pick(&ODD).as_bytes().to_vec();
    match rng.below(13) {
        0 | 1 => drop(text.splice(from..to, [])),
        2 => {
            let copy = text[from..to].to_vec();
            text.splice(from..from, copy);
        }
        3 => {
            let moved: Vec<u8> = text.splice(from..to, []).collect();
            let at = rng.below(text.len() + 1);
            text.splice(at..at, moved);
        }
        4 | 5 => {
            let other = rng.pick(texts);
            let (a, b) = piece(&other, rng);
            text.splice(from..to, other[a..b].iter().copied());
        }
        6..9 => {
            let new = odd(rng);
            text.splice(from..to, new);
        }
        9 => {
            let new = odd(rng);
            text.splice(from..from, new);
        }
        10 => {
            if let Some(b) = text.get_mut(from) {
                *b = rng.word() as u8;
            }
        }
        11 => text.truncate(from),
        _ => {
            let part = if rng.percent(50) { odd(rng) } else { text[from..to].to_vec() };
            let most = if rng.percent(20) { 100_000 } else { 300 };
            let n = rng.below(most.min(1_000_000 / part.len().max(1)) + 1);
            text.splice(from..from, part.repeat(n));
        }
    }
}

/// A word, a line, or any bytes in a row.
fn piece(text: &[u8], rng: &mut Rng) -> (usize, usize) {
    let at = rng.below(text.len());
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let around = |inside: &dyn Fn(&u8) -> bool| {
        let from = text[..at].iter().rposition(|b| !inside(b)).map_or(0, |i| i + 1);
        let to = text[at..].iter().position(|b| !inside(b)).map_or(text.len(), |i| at + i);
        (from, to.max(from))
    };
    match rng.below(3) {
        0 if text.get(at).is_some_and(is_word) => around(&is_word),
        1 => around(&|b| *b != b'\n'),
        _ => (at.min(text.len()), (at + 1 + rng.below(4)).min(text.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_fix_damage() {
        let texts = [b"decl x;\nvoid main() begin end\n".to_vec(), Vec::new()];
        for seed in 0..500 {
            assert_eq!(damage(&texts, seed), damage(&texts, seed));
        }
        assert!((0..100).filter(|s| texts.contains(&damage(&texts, *s))).count() < 40);
    }
}
