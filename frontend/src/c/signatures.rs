//! The functions that a file defines, and what they take: for harnesses, and for editors.

use super::source::Source;
use lang_c::ast::*;
use lang_c::span::Node;
use relyant_cfa::diagnostic::Span;

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionAt {
    /// Its name.
    pub name: String,
    /// The first character of its name.
    pub start: Span,
    /// The last character of its body.
    pub end: Span,
    /// What it takes, in order.
    pub parameters: Vec<Parameter>,
    /// More arguments may follow, or their types are not said where they are declared.
    pub open: bool,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name; empty where it has none.
    pub name: String,
    /// The type at the end of its pointers, as C has it without qualifiers; none where that has no name.
    pub base: Option<String>,
    /// How many pointers lead there; arrays are pointers.
    pub pointers: usize,
    /// A pointer to a function, or what else is not of this form.
    pub odd: bool,
}

/// The functions of a unit, in order.
pub(super) fn functions(source: &Source, unit: &TranslationUnit) -> Vec<FunctionAt> {
    let defined = unit.0.iter().filter_map(|d| match &d.node {
        ExternalDeclaration::FunctionDefinition(f) => Some(f),
        ExternalDeclaration::Declaration(_) | ExternalDeclaration::StaticAssert(_) => None,
    });
    defined.filter_map(|f| function(source, f)).collect()
}

fn function(source: &Source, f: &Node<FunctionDefinition>) -> Option<FunctionAt> {
    let (name, at) = named(&f.node.declarator)?;
    let mut found = FunctionAt {
        name,
        start: source.span(at),
        end: source.span(f.node.statement.span.end.saturating_sub(1)),
        parameters: Vec::new(),
        open: false,
    };
    for d in &f.node.declarator.node.derived {
        match &d.node {
            DerivedDeclarator::Function(d) => {
                found.open = d.node.ellipsis == Ellipsis::Some;
                found.parameters = d.node.parameters.iter().map(|p| parameter(&p.node)).collect();
                break;
            }
            DerivedDeclarator::KRFunction(names) => {
                found.open = !names.is_empty();
                break;
            }
            DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_) | DerivedDeclarator::Block(_) => {}
        }
    }
    if let [Parameter { base: Some(base), pointers: 0, odd: false, .. }] = &found.parameters[..]
        && base == "void"
    {
        found.parameters.clear();
    }
    Some(found)
}

/// The name that is declared, and where it stands.
fn named(d: &Node<Declarator>) -> Option<(String, usize)> {
    match &d.node.kind.node {
        DeclaratorKind::Identifier(i) => Some((i.node.name.clone(), i.span.start)),
        DeclaratorKind::Declarator(inner) => named(inner),
        DeclaratorKind::Abstract => None,
    }
}

fn parameter(p: &ParameterDeclaration) -> Parameter {
    let base = base(&p.specifiers);
    let Some(d) = &p.declarator else {
        return Parameter { name: String::new(), base, pointers: 0, odd: false };
    };
    let name = named(d).map_or_else(String::new, |n| n.0);
    let leads = |d: &Node<DerivedDeclarator>| {
        matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_))
    };
    let odd = matches!(d.node.kind.node, DeclaratorKind::Declarator(_)) || !d.node.derived.iter().all(leads);
    Parameter { name, base, pointers: d.node.derived.len(), odd }
}

/// The type that specifiers name.
fn base(specifiers: &[Node<DeclarationSpecifier>]) -> Option<String> {
    let types = specifiers.iter().filter_map(|s| match &s.node {
        DeclarationSpecifier::TypeSpecifier(t) => Some(word(&t.node)),
        DeclarationSpecifier::StorageClass(_)
        | DeclarationSpecifier::TypeQualifier(_)
        | DeclarationSpecifier::Function(_)
        | DeclarationSpecifier::Alignment(_)
        | DeclarationSpecifier::Extension(_) => None,
    });
    let words: Option<Vec<String>> = types.collect();
    words.filter(|w| !w.is_empty()).map(|w| w.join(" "))
}

fn word(t: &TypeSpecifier) -> Option<String> {
    let plain = match t {
        TypeSpecifier::Void => "void",
        TypeSpecifier::Char => "char",
        TypeSpecifier::Short => "short",
        TypeSpecifier::Int => "int",
        TypeSpecifier::Long => "long",
        TypeSpecifier::Float => "float",
        TypeSpecifier::Double => "double",
        TypeSpecifier::Signed => "signed",
        TypeSpecifier::Unsigned => "unsigned",
        TypeSpecifier::Bool => "_Bool",
        TypeSpecifier::TypedefName(name) => &name.node.name,
        TypeSpecifier::Struct(s) => {
            let kind = match s.node.kind.node {
                StructKind::Struct => "struct",
                StructKind::Union => "union",
            };
            return s.node.identifier.as_ref().map(|i| format!("{kind} {}", i.node.name));
        }
        TypeSpecifier::Enum(e) => return e.node.identifier.as_ref().map(|i| format!("enum {}", i.node.name)),
        TypeSpecifier::Complex
        | TypeSpecifier::Atomic(_)
        | TypeSpecifier::TypeOf(_)
        | TypeSpecifier::TS18661Float(_) => return None,
    };
    Some(plain.into())
}

#[cfg(test)]
mod tests {
    use crate::c::outline;
    use relyant_cfa::options::Options;

    #[test]
    fn what_functions_take() {
        let dir = std::env::temp_dir().join(format!("relyant-signatures-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let text = "typedef unsigned size; struct s { int x; };\n\
             static void f(const unsigned int n, struct s *p, size k, char *names[], int (*g)(int)) {}\n\
             int *none(void) { return 0; }\n\
             int many(int, ...) {\n  return 0;\n}\n";
        std::fs::write(dir.join("a.c"), text).unwrap();
        let all = outline(&dir.join("a.c"), &Options::default()).unwrap().functions;
        std::fs::remove_dir_all(&dir).unwrap();
        let said = |i: usize| -> Vec<(&str, Option<&str>, usize, bool)> {
            let one = |p: &'_ super::Parameter| (p.pointers, p.odd);
            let ps = all[i].parameters.iter();
            ps.map(|p| (p.name.as_str(), p.base.as_deref(), one(p).0, one(p).1)).collect()
        };
        assert_eq!(all.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["f", "none", "many"]);
        assert_eq!(
            said(0),
            [
                ("n", Some("unsigned int"), 0, false),
                ("p", Some("struct s"), 1, false),
                ("k", Some("size"), 0, false),
                ("names", Some("char"), 2, false),
                ("g", Some("int"), 1, true),
            ]
        );
        assert!(said(1).is_empty() && !all[1].open && all[2].open);
        assert_eq!((all[1].start.line, all[1].start.column, all[2].end.line), (3, 6, 6));
    }
}
