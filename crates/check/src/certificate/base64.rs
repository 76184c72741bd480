//! Bytes as text (RFC 4648, section 4), strictly: one text for the same bytes.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the text of some bytes.
pub fn encode(bytes: &[u8], out: &mut String) {
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            if i <= group.len() as u32 {
                out.push(DIGITS[(bits >> (18 - 6 * i) & 63) as usize] as char);
            } else {
                out.push('=');
            }
        }
    }
}

/// Appends the bytes of a text; `None` where it is the text of no bytes.
pub fn decode(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let text = text.as_bytes();
    if text.len() % 4 != 0 {
        return None;
    }
    let groups = text.len() / 4;
    for (k, group) in text.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|c| **c == b'=').count();
        if padding > 2 || padding > 0 && k + 1 < groups {
            return None;
        }
        let mut bits = 0u32;
        for c in &group[..4 - padding] {
            bits = bits << 6 | u32::from(digit(*c)?);
        }
        bits <<= 6 * padding;
        let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        if bytes[3 - padding..].iter().any(|b| *b != 0) {
            return None;
        }
        out.extend_from_slice(&bytes[..3 - padding]);
    }
    Some(())
}

fn digit(c: u8) -> Option<u8> {
    match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_standard() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in pairs {
            let mut out = String::new();
            encode(bytes.as_bytes(), &mut out);
            assert_eq!(out, text);
            let mut back = Vec::new();
            assert_eq!(decode(text, &mut back), Some(()));
            assert_eq!(back, bytes.as_bytes());
        }
    }

    #[test]
    fn all_bytes_come_back() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        let (mut text, mut back) = (String::new(), Vec::new());
        encode(&bytes, &mut text);
        assert_eq!(decode(&text, &mut back), Some(()));
        assert_eq!(back, bytes);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["A", "AA", "AAA", "A===", "AA==AAAA", "AA=A", "AB==", "AAB=", "A\nAA", "AA-A", "====", "é12"]
        {
            assert_eq!(decode(text, &mut Vec::new()), None, "{text}");
        }
    }
}
