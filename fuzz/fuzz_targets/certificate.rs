//! The certificate reader takes any text; what it accepts as a proof of this unsafe program, the checker must reject.
#![no_main]

use libfuzzer_sys::fuzz_target;
use relyant_check::certificate::Certificate;
use relyant_check::check::{self, Limits};
use relyant_cfa::options::Options;
use relyant_program::Program;
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_program::thread_program;
use std::sync::OnceLock;

const UNSAFE: &str = "
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void __VERIFIER_assert(int);
int x;
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (x == 1) { ERROR: return 1; } return 0; }
";

fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let options = Options::default();
        let module = c::load_text("input.i", UNSAFE, &options).expect("a C program");
        let program = instantiate::instantiate(&module, &options).expect("a program");
        thread_program(&program).expect("a thread program")
    })
}

fuzz_target!(|text: &str| {
    let Ok(certificate) = Certificate::parse(text) else { return };
    let Ok(proof) = certificate.proof(program()) else { return };
    assert!(check::check(program(), &proof, &Limits::default()).is_err());
});
