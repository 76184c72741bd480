//! What attributes mean: a table by name, and those of a declaration that have a meaning here.
//!
//! The token pass drops those that are harmless (see [`super::places`]); the rest is in the syntax tree.

use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};

/// Stands after the body of a struct for the `#pragma pack(n)` that it is under.
pub const PACK: &str = "__relyant_pack";

/// What an attribute means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing that a verdict depends on; why.
    Harmless(&'static str),
    /// How a type is laid out: `packed`, `aligned` (which stands for `_Alignas` too), `mode`, and `#pragma pack`.
    Layout,
    /// `cleanup`: a function called when the variable's block is left.
    Cleanup,
    /// `constructor`: the function runs before `main`.
    Constructor,
    /// `destructor`: the function runs at exit.
    Destructor,
    /// `noreturn`: calls of the function do not come back.
    NoReturn,
    /// `weak`: another definition may take its place.
    Weak,
    /// Not modelled; what to do instead.
    Refused(&'static str),
}

const ADVICE: &str = "it is advice for warnings or for the optimiser";
const PLACE: &str = "it says where the linker puts the thing, or who sees it";
const CALLS: &str = "it says how the machine passes arguments or how calls are compiled";
const RUN_TIME: &str = "it turns a check at run time on or off";

/// Attributes that change nothing that a verdict depends on, by the reason why.
const HARMLESS: [(&str, &[&str]); 4] = [
    (
        ADVICE,
        &[
            "access",
            "alloc_align",
            "alloc_size",
            "artificial",
            "assume_aligned",
            "malloc",
            "cold",
            "hot",
            "const",
            "pure",
            "leaf",
            "nothrow",
            "deprecated",
            "unavailable",
            "error",
            "warning",
            "fallthrough",
            "format",
            "format_arg",
            "nonnull",
            "returns_nonnull",
            "nonstring",
            "null_terminated_string_arg",
            "unused",
            "maybe_unused",
            "nodiscard",
            "warn_unused_result",
            "warn_if_not_aligned",
            "sentinel",
            "may_alias",
            "noalias",
            "likely",
            "unlikely",
            "noinline",
            "noclone",
            "noipa",
            "no_icf",
            "no_reorder",
            "always_inline",
            "gnu_inline",
            "flatten",
            "optimize",
            "optnone",
            "minsize",
            "expected_throw",
            "fd_arg",
            "fd_arg_read",
            "fd_arg_write",
            "strict_flex_array",
            "counted_by",
            "tainted_args",
            "designated_init",
            "externally_visible",
            "used",
            "retain",
            "returns_twice",
            "simd",
            "reproducible",
            "unsequenced",
            "diagnose_if",
            "enable_if",
            "noescape",
            "flag_enum",
            "enum_extensibility",
            "type_visibility",
            "bounded",
            "capability",
            "guarded_by",
            "pt_guarded_by",
            "acquire_capability",
            "release_capability",
            "acquired_before",
            "acquired_after",
            "requires_capability",
            "exclusive_lock_function",
            "unlock_function",
            "no_thread_safety_analysis",
            "lockable",
            "scoped_lockable",
            "context",
            "address_space",
            "noderef",
            "force",
            "bitwise",
            "nocast",
            "safe",
            "randomize_layout",
            "no_randomize_layout",
            "latent_entropy",
            "nocapture",
            "btf_type_tag",
            "btf_decl_tag",
            "preserve_access_index",
            "uninitialized",
            "copy",
            "no_dangling",
        ],
    ),
    (
        PLACE,
        &[
            "section",
            "visibility",
            "common",
            "nocommon",
            "dllimport",
            "dllexport",
            "tls_model",
            "model",
            "persistent",
            "noinit",
        ],
    ),
    (
        CALLS,
        &[
            "regparm",
            "cdecl",
            "stdcall",
            "fastcall",
            "thiscall",
            "ms_abi",
            "sysv_abi",
            "syscall_linkage",
            "target",
            "target_clones",
            "force_align_arg_pointer",
            "stack_protect",
            "no_stack_protector",
            "no_split_stack",
            "no_stack_limit",
            "no_callee_saved_registers",
            "no_caller_saved_registers",
            "hotpatch",
            "ms_hook_prologue",
            "patchable_function_entry",
            "indirect_branch",
            "function_return",
            "indirect_return",
            "fentry_name",
            "fentry_section",
            "nocf_check",
            "cf_check",
            "zero_call_used_regs",
            "nodirect_extern_access",
            "no_profile_instrument_function",
            "no_instrument_function",
            "gcc_struct",
            "preserve_most",
            "preserve_all",
        ],
    ),
    (
        RUN_TIME,
        &[
            "no_sanitize",
            "no_sanitize_address",
            "no_sanitize_thread",
            "no_sanitize_undefined",
            "no_address_safety_analysis",
            "no_sanitize_coverage",
            "disable_sanitizer_instrumentation",
            "no_sanitize_memory",
        ],
    ),
];

/// The meaning of an attribute, with or without the underscores around its name.
pub fn meaning(name: &str) -> Meaning {
    use Meaning::*;
    let name = bare(name);
    if let Some((why, _)) = HARMLESS.iter().find(|(_, names)| names.contains(&name)) {
        return Harmless(why);
    }
    match name {
        "packed" | "aligned" | "mode" | PACK => Layout,
        "cleanup" => Cleanup,
        "constructor" => Constructor,
        "destructor" => Destructor,
        "noreturn" | "_Noreturn" => NoReturn,
        "weak" => Weak,
        "alias" | "weakref" | "ifunc" => Refused("call the function by its own name"),
        "vector_size" | "ext_vector_type" => Refused("use an array"),
        "transparent_union" => Refused("make the parameter the union itself, and convert the arguments"),
        "scalar_storage_order" => Refused("swap the bytes in the program"),
        "ms_struct" => Refused("leave it out: members are laid out as gcc does it on Linux"),
        "naked" | "interrupt" | "signal" => Refused("write the function in C, without the attribute"),
        "symver" => Refused("leave the symbol's version out"),
        _ => Refused("leave it out if it changes nothing"),
    }
}

/// The name without underscores around it.
pub fn bare(name: &str) -> &str {
    match name.strip_prefix("__").and_then(|n| n.strip_suffix("__")) {
        Some(inner) if !inner.is_empty() => inner,
        _ => name,
    }
}

/// An attribute that nobody here understands.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Its name, as in the program.
    pub name: String,
    /// Where the program has it.
    pub at: Bytes,
    /// What to do instead.
    pub help: &'static str,
}

/// The attributes of a declaration that have a meaning for what it declares; those of layout are read where types are laid out.
#[derive(Clone, Debug, Default)]
pub struct Attributes<'a> {
    /// `cleanup(f)`: the name of f.
    pub cleanup: Option<(&'a str, Bytes)>,
    /// `constructor`, with its priority.
    pub constructor: Option<Option<&'a Node<Expression>>>,
    /// `destructor`, with its priority.
    pub destructor: Option<Option<&'a Node<Expression>>>,
    /// It has `noreturn`: calls do not come back.
    pub noreturn: bool,
    /// It has `weak`: another definition may take its place.
    pub weak: bool,
    /// `asm("name")`: the name for the linker.
    pub symbol: Option<(&'a Node<StringLiteral>, Bytes)>,
    /// The first that is not modelled.
    pub foreign: Option<Foreign>,
}

impl<'a> Attributes<'a> {
    /// Those of a list.
    pub fn of(list: &[&'a Node<Extension>]) -> Attributes<'a> {
        let mut all = Attributes::default();
        for x in list {
            match &x.node {
                Extension::Attribute(a) => all.attribute(a, x.span),
                Extension::AsmLabel(name) => all.symbol = Some((name, x.span)),
                // For other systems only.
                Extension::AvailabilityAttribute(_) => {}
            }
        }
        all
    }

    fn attribute(&mut self, a: &'a Attribute, at: Bytes) {
        let name = a.name.node.as_str();
        let first = a.arguments.first();
        match meaning(name) {
            Meaning::Harmless(_) | Meaning::Layout => {}
            Meaning::Cleanup => match first.and_then(|e| super::scan::name_of(&e.node)) {
                Some(f) => self.cleanup = Some((f, at)),
                None => self.foreign(name, at, "name a function"),
            },
            Meaning::Constructor => self.constructor = Some(first),
            Meaning::Destructor => self.destructor = Some(first),
            Meaning::NoReturn => self.noreturn = true,
            Meaning::Weak => self.weak = true,
            Meaning::Refused(help) => self.foreign(name, at, help),
        }
    }

    fn foreign(&mut self, name: &str, at: Bytes, help: &'static str) {
        if self.foreign.is_none() {
            self.foreign = Some(Foreign { name: name.to_string(), at, help });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_underscores_or_not() {
        assert_eq!(meaning("__packed__"), Meaning::Layout);
        assert_eq!(meaning("packed"), Meaning::Layout);
        assert!(matches!(meaning("__nonnull__"), Meaning::Harmless(_)));
        assert!(matches!(meaning("flies"), Meaning::Refused(_)));
    }
}
