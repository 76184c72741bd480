//! The C reader takes any text: a program or a diagnostic, never a crash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use relyant_cfa::options::Options;
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_program::thread_program;

fuzz_target!(|text: &str| {
    let options = Options::default();
    let Ok(module) = c::load_text("input.i", text, &options) else { return };
    let Ok(program) = instantiate::instantiate(&module, &options) else { return };
    let _ = thread_program(&program);
});
