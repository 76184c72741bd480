//! Random records, with bit-fields and attributes, and facts about them: sizes, offsets, alignments, where bits lie, and
//! what bit-fields compute with.

use super::rng::Rng;
use std::fmt::Write;

/// A program whose variables `f0`, `f1`, … hold the facts at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    /// Definitions of the records.
    pub types: String,
    /// Facts that are constant.
    pub constant: Vec<String>,
    /// Facts that a run finds out, each the last statements of a block that assign to a variable.
    pub computed: Vec<String>,
}

impl Records {
    /// A program: the constants are start values, the others come in `main`, which ends with some text.
    pub fn program(&self, end: &str) -> String {
        let mut out = format!("#include <stddef.h>\n#include <stdint.h>\n{}", self.types);
        let mut body = String::new();
        for (k, c) in self.constant.iter().enumerate() {
            let _ = writeln!(out, "long long f{k} = {c};");
        }
        for (k, c) in self.computed.iter().enumerate() {
            let k = k + self.constant.len();
            let _ = writeln!(out, "long long f{k};");
            let _ = writeln!(body, "  {{ {} }}", c.replace("RESULT", &format!("f{k}")));
        }
        format!("{out}int main(void)\n{{\n{body}{end}  return 0;\n}}\n")
    }
    /// How many facts its program computes.
    pub fn facts(&self) -> usize {
        self.constant.len() + self.computed.len()
    }
}

const BASES: [(&str, u64); 12] = [
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long", 32),
    ("unsigned long", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
];

const ATTRIBUTES: [&str; 5] = [
    " __attribute__((packed))",
    " __attribute__((aligned(2)))",
    " __attribute__((aligned(16)))",
    " __attribute__((packed, aligned(4)))",
    " __attribute__((__aligned__))",
];

/// Random records. `wide`: `long` has 64 bits, and facts may be computed.
pub fn generate(seed: u64, wide: bool) -> Records {
    let mut rng = Rng::new(seed ^ 0x6c61_796f);
    let mut r = Records { types: String::new(), constant: Vec::new(), computed: Vec::new() };
    r.types.push_str(
        "typedef int loose __attribute__((aligned(1)));\ntypedef short tight __attribute__((aligned(8)));\n",
    );
    r.types.push_str("typedef int byte_int __attribute__((mode(QI)));\nenum small { A, B = 200 } __attribute__((packed));\n");
    for n in 0..3 {
        record(&mut rng, n, wide, &mut r);
    }
    r
}

fn record(rng: &mut Rng, n: usize, wide: bool, r: &mut Records) {
    let kind = if rng.percent(20) { "union" } else { "struct" };
    let pack = rng.percent(25).then(|| rng.pick(&[1, 2, 4, 8]));
    if let Some(p) = pack {
        let _ = writeln!(r.types, "#pragma pack(push, {p})");
    }
    let _ = writeln!(r.types, "{kind} r{n} {{");
    let mut facts = Vec::new();
    for m in 0..1 + rng.below(6) {
        let attribute = if rng.percent(20) { rng.pick(&ATTRIBUTES) } else { "" };
        if rng.percent(55) {
            let (base, bits) = rng.pick(&BASES);
            let bits = if wide && base.ends_with("long") { 64 } else { bits };
            if rng.percent(15) {
                let width = if rng.percent(50) { 0 } else { 1 + rng.below(bits as usize) };
                let _ = writeln!(r.types, "  {base} : {width};");
                continue;
            }
            let width = 1 + rng.below(bits as usize) as u64;
            let _ = writeln!(r.types, "  {base} m{m} : {width}{attribute};");
            if wide {
                bit_field(rng, n, m, kind, &mut facts);
            }
        } else {
            let mut types = vec![
                "char",
                "short",
                "int",
                "long",
                "long long",
                "double",
                "float",
                "void *",
                "loose",
                "tight",
            ];
            types.extend(["byte_int", "enum small"]);
            let inner = format!("struct {{ char a; {} b; }}", rng.pick(&types));
            let earlier = format!("struct r{}", n.max(1) - 1);
            types.push(&inner);
            if n > 0 && r.types.contains(&format!("{earlier} {{")) {
                types.push(&earlier);
            }
            let ty = rng.pick(&types);
            let array = if rng.percent(20) { "[3]" } else { "" };
            // Elements that are aligned more than they are long are an error.
            let (ty, array) = if ty == "tight" { (ty, "") } else { (ty, array) };
            let _ = writeln!(r.types, "  {ty} m{m}{array}{attribute};");
            r.constant.push(format!("offsetof({kind} r{n}, m{m})"));
        }
    }
    let whole = if rng.percent(25) { rng.pick(&ATTRIBUTES) } else { "" };
    let _ = writeln!(r.types, "}}{whole};");
    if pack.is_some() {
        r.types.push_str("#pragma pack(pop)\n");
    }
    r.constant.push(format!("sizeof({kind} r{n})"));
    r.constant.push(format!("_Alignof({kind} r{n})"));
    r.computed.extend(facts);
}

/// What a bit-field holds, and computes with.
fn bit_field(rng: &mut Rng, n: usize, m: usize, kind: &str, facts: &mut Vec<String>) {
    let object = format!("static {kind} r{n} x; ");
    let value = rng.word();
    let fact = match rng.below(6) {
        0 => format!("x.m{m} = {value}ull; RESULT = x.m{m};"),
        1 => format!("x.m{m} = {value}ull; RESULT = x.m{m} - 1 < 0;"),
        2 => format!("x.m{m} = {value}ull; RESULT = ~x.m{m};"),
        3 => format!("x.m{m} = {value}ull; RESULT = x.m{m} + 0u > -1;"),
        4 => format!("RESULT = (x.m{m} = {value}ull) + 1;"),
        _ => format!("x.m{m} = {value}ull; RESULT = sizeof(x.m{m} + 0) * 2 + (x.m{m} * 1l > -1l);"),
    };
    facts.push(object + &fact);
}
