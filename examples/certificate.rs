//! Verifies a C file, and checks its certificate as somebody else would: `cargo run --example certificate -- FILE.c`

use relyant::{Options, check_file, verify_file};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a C file")?;
    let options = Options::default();
    let verified = verify_file(&path, &options)?;
    let Some(certificate) = verified.certificate()? else {
        println!("{path}: {}, which has no certificate", verified.verdict().word());
        return Ok(());
    };
    // Of the verdict nothing is used but the document.
    drop(verified);
    let accepted = check_file(&certificate, &path, &options)?;
    println!("{path}: {} bytes, accepted: {}", certificate.len(), accepted.counted);
    println!("property: {}", accepted.meaning.describe());
    Ok(())
}
