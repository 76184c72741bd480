//! Atomic operations and what compilers have built in, by the parts of their names.

use super::{Atomic, Bits, Model, Rmw, Weak, model};
use relyant_cfa::BinOp;

fn rmw(name: &str) -> Option<Rmw> {
    Some(match name {
        "add" => Rmw::Add,
        "sub" => Rmw::Sub,
        "and" => Rmw::And,
        "or" => Rmw::Or,
        "xor" => Rmw::Xor,
        "nand" => Rmw::Nand,
        _ => return None,
    })
}

pub fn atomic(name: &str) -> Option<Atomic> {
    if let Some(rest) = name.strip_prefix("__sync_") {
        return Some(match rest {
            "bool_compare_and_swap" => Atomic::CompareAndSwap { gives_old: false },
            "val_compare_and_swap" => Atomic::CompareAndSwap { gives_old: true },
            "lock_test_and_set" => Atomic::Fetch(Rmw::Exchange),
            "lock_release" => Atomic::Clear,
            _ => match (rest.strip_prefix("fetch_and_"), rest.strip_suffix("_and_fetch")) {
                (Some(op), _) => Atomic::Fetch(rmw(op)?),
                (_, Some(op)) => Atomic::Apply(rmw(op)?),
                _ => return None,
            },
        });
    }
    if let Some(rest) = name.strip_prefix("__atomic_") {
        return Some(match rest {
            "load_n" => Atomic::Load,
            "store_n" => Atomic::Store,
            "load" => Atomic::LoadInto,
            "store" => Atomic::StoreFrom,
            "exchange" => Atomic::ExchangeInto,
            "exchange_n" => Atomic::Fetch(Rmw::Exchange),
            "test_and_set" => Atomic::TestAndSet,
            "clear" => Atomic::Clear,
            "compare_exchange_n" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::Argument },
            "compare_exchange" => Atomic::CompareExchange { desired_pointer: true, weak: Weak::Argument },
            _ => match (rest.strip_prefix("fetch_"), rest.strip_suffix("_fetch")) {
                (Some(op), _) => Atomic::Fetch(rmw(op)?),
                (_, Some(op)) => Atomic::Apply(rmw(op)?),
                _ => return None,
            },
        });
    }
    let rest = name.strip_prefix("atomic_")?;
    let rest = rest.strip_suffix("_explicit").unwrap_or(rest);
    Some(match rest {
        "load" => Atomic::Load,
        "store" | "init" => Atomic::Store,
        "exchange" => Atomic::Fetch(Rmw::Exchange),
        "compare_exchange_strong" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::No },
        "compare_exchange_weak" => Atomic::CompareExchange { desired_pointer: false, weak: Weak::Yes },
        "flag_test_and_set" => Atomic::TestAndSet,
        "flag_clear" => Atomic::Clear,
        _ => Atomic::Fetch(rmw(rest.strip_prefix("fetch_")?)?),
    })
}

/// Builtins that count bits: name, then nothing, `l`, `ll`, or a width.
fn bits(name: &str) -> Option<Model> {
    let families = [
        ("popcount", Bits::Ones),
        ("parity", Bits::Parity),
        ("clz", Bits::LeadingZeros),
        ("ctz", Bits::TrailingZeros),
        ("ffs", Bits::FirstSet),
        ("bswap", Bits::Swap),
    ];
    let (suffix, b) = families.iter().find_map(|(f, b)| Some((name.strip_prefix(f)?, *b)))?;
    let width = match (suffix, b) {
        ("16", Bits::Swap) => 16,
        ("32", Bits::Swap) => 32,
        ("64", Bits::Swap) => 64,
        (_, Bits::Swap) => return None,
        ("", _) => 32,
        ("l", _) => 0,
        ("ll", _) => 64,
        _ => return None,
    };
    Some(Model::Bits(b, width))
}

/// `add_overflow`, `saddl_overflow`, `add_overflow_p` and the like.
fn overflow(name: &str) -> Option<Model> {
    let (rest, stores) = match name.strip_suffix("_overflow_p") {
        Some(rest) => (rest, false),
        None => (name.strip_suffix("_overflow")?, true),
    };
    let operation = |n: &str| match n {
        "add" => Some(BinOp::Add),
        "sub" => Some(BinOp::Sub),
        "mul" => Some(BinOp::Mul),
        _ => None,
    };
    if let Some(op) = operation(rest) {
        return Some(Model::Overflow { op, generic: true, stores });
    }
    let rest = rest.strip_prefix(['s', 'u'])?;
    let op = operation(rest.get(..3)?).filter(|_| matches!(&rest[3..], "" | "l" | "ll"))?;
    Some(Model::Overflow { op, generic: false, stores: true })
}

/// The name without what `_FORTIFY_SOURCE` adds: `__memcpy_chk` is `memcpy`.
fn checked(name: &str) -> Option<&str> {
    let name = name.strip_prefix("__")?.strip_suffix("_chk")?;
    ["memset", "memcpy", "memmove", "strcpy", "strncpy", "strcat", "strncat"].contains(&name).then_some(name)
}

pub fn builtin(name: &str) -> Option<Model> {
    bits(name).or_else(|| overflow(name)).or_else(|| {
        Some(match name {
            "expect" | "expect_with_probability" => Model::First,
            "constant_p" => Model::IsConstant,
            "choose_expr" => Model::Choose,
            "object_size" | "dynamic_object_size" => Model::ObjectSize,
            "unreachable" => Model::Stuck,
            "trap" => Model::Halt,
            "prefetch" | "ia32_pause" => Model::Nothing,
            "alloca" => return model(name),
            _ => match model(checked(name).unwrap_or(name))? {
                m @ (Model::Row(_)
                | Model::Print { .. }
                | Model::Abs
                | Model::Magnitude
                | Model::FloatClass(_)
                | Model::Rounded(..)
                | Model::Memory(_)
                | Model::Text(_)
                | Model::Halt
                | Model::Exit
                | Model::Allocate(_)
                | Model::Free
                | Model::Classify(_)
                | Model::ChangeCase { .. }) => m,
                _ => return None,
            },
        })
    })
}
