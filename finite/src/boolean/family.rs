//! Programs of any size: those by which BOPPO was measured (section 5), after their description.

use std::fmt::Write;

/// ART-PC-n: `main` starts threads for ever, each assigns to global variables n times, with any values but for a property
/// of two of them that all keep. The number of locations grows.
pub fn art_pc(n: usize) -> String {
    let mut out = String::from("decl g0, g1;\n\nvoid main() begin\n  g0, g1 := T, F;\n  loop:\n");
    out.push_str("  start_thread worker();\n  goto loop;\nend\n\nvoid worker() begin\n");
    for i in 0..n {
        let (a, b) = if i % 2 == 0 { ("g0", "g1") } else { ("g1", "g0") };
        let _ = writeln!(out, "  {a} := * constrain ('{a} | {b});");
    }
    out.push_str("  assert(g0 | g1);\nend\n");
    out
}

/// ART-V-n: the same with n global variables, each assigned once by `main` and once by each thread.
pub fn art_v(n: usize) -> String {
    let n = n.max(2);
    let names: Vec<String> = (0..n).map(|i| format!("v{i}")).collect();
    let mut out = format!("decl {};\n\nvoid main() begin\n", names.join(", "));
    for v in &names {
        let _ = writeln!(out, "  {v} := {};", if v == "v0" { "T" } else { "F" });
    }
    out.push_str("  loop:\n  start_thread worker();\n  goto loop;\nend\n\nvoid worker() begin\n  v0 := T;\n");
    for v in &names[1..] {
        let _ = writeln!(out, "  {v} := *;");
    }
    let _ = writeln!(out, "  assert(v0 | ({}));\nend", names[1..].join(" & "));
    out
}
