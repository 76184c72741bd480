//! Certificates of systems come back as they were; damaged ones do not.

use super::*;

fn read(text: &str, p: &Program) -> Result<Proof, CertificateError> {
    match AnyCertificate::parse(text)? {
        AnyCertificate::Replicated(c) => c.proof(p),
        AnyCertificate::Proof(_) | AnyCertificate::States(_) => panic!("another kind"),
    }
}

#[test]
fn certificates_come_back() {
    let (other, _) = proved("counter_cas.c");
    for (p, proof) in examples() {
        let text = write_replicated(&proof, &p, &meta());
        assert_eq!(read(&text, &p), Ok(proof));
        assert_eq!(read(&text, &other), Err(CertificateError::Program));
        let certificate = AnyCertificate::parse(&text).unwrap();
        assert_eq!(certificate.options(), meta().options);
        assert!(certificate.is_about(&meta().sources, &meta().includes).is_ok());
        let changed = Meta { sources: vec![Source::new("test.c", b"int main() { }")], ..meta() };
        assert!(certificate.is_about(&changed.sources, &changed.includes).is_err());
    }
}

#[test]
fn damaged_certificates_are_rejected() {
    let (p, proof) = proved(NAMES[0]);
    let text = write_replicated(&proof, &p, &meta());
    for end in (0..text.trim_end().len()).step_by(13) {
        assert!(AnyCertificate::parse(&text[..end]).is_err(), "{end}");
    }
    for (from, to) in [
        ("\"version\": 2", "\"version\": 1"),
        ("relyant-certificate", "other-certificate"),
        ("\"kind\": \"replicated\"", "\"kind\": \"replicates\""),
        ("\"globals\": [", "\"more\": 1, \"globals\": ["),
        ("\"globals\": [", "\"globals\": [\"0 == 0\","),
        ("\"globals\": [", "\"globals\": [\"nothing <= 1\","),
        ("\"globals\": [", "\"globals\": [\"taken' <= 1\","),
        ("\"own\":[", "\"own\":[\"taken' <= 1\","),
        ("\"thread\":\"client\"", "\"thread\":\"nobody\""),
        ("\"shared_states\": [", "\"shared_states\": [[-1],"),
        ("\"shared_states\": [", "\"shared_states\": [[99],"),
        ("\"shared_states\": [", "\"shared_states\": [[4294967296],"),
        ("\"at\":\"0.", "\"at\":\"9."),
        ("\"at\":\"0.", "\"at\":\"0.0."),
        ("    [[0,0,0]", "    [[0,0,0,0]"),
        ("\"steps\": [", "\"steps\": [[[0,0,0],[0,0]],"),
        ("\"minimal\":[[", "\"minimal\":[[0,[[0,4294967295],[0,1]]],["),
        ("\"uncoverable\": ", "\"coverable\":"),
        ("\"program\": \"", "\"program\": \"0"),
    ] {
        let edited = text.replacen(from, to, 1);
        assert_ne!(edited, text, "{from}");
        let kept = match AnyCertificate::parse(&edited) {
            Ok(AnyCertificate::Replicated(c)) => c.proof(&p).ok().filter(|c| accepted(&p, c).is_ok()),
            _ => None,
        };
        assert_eq!(kept, None, "{to}");
    }
}
