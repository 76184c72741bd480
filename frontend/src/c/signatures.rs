//! The functions that a file defines, and what they take: for harnesses, and for editors.

use super::source::Source;
use lang_c::ast::*;
use lang_c::span::Node;
use relyant_cfa::diagnostic::Span;
use std::collections::BTreeSet;

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
    /// Of an array: the size of each dimension as C has it, outer ones first; none where it is not told by constants.
    pub sizes: Vec<Option<String>>,
    /// A pointer to a function, or what else is not of this form.
    pub odd: bool,
    /// Its type has a name that stands for a pointer.
    pub hidden: bool,
}

/// The functions of a unit, in order.
pub(super) fn functions(source: &Source, unit: &TranslationUnit) -> Vec<FunctionAt> {
    let defined = unit.0.iter().filter_map(|d| match &d.node {
        ExternalDeclaration::FunctionDefinition(f) => Some(f),
        ExternalDeclaration::Declaration(_) | ExternalDeclaration::StaticAssert(_) => None,
    });
    let named = Named::of(unit);
    defined.filter_map(|f| function(source, f, &named)).collect()
}

/// The part of a declarator that says what its name is; none where the specifiers do.
fn nearest(d: &Node<Declarator>) -> Option<&DerivedDeclarator> {
    let is_pointer = |x: &&Node<DerivedDeclarator>| matches!(x.node, DerivedDeclarator::Pointer(_));
    let all = &d.node.derived;
    all.iter().find(|x| !is_pointer(x)).or(all.last()).map(|x| &x.node)
}

/// Names of types that are more than they look.
#[derive(Default)]
struct Named {
    pointers: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl Named {
    fn of(unit: &TranslationUnit) -> Named {
        let mut all = Named::default();
        for d in &unit.0 {
            let ExternalDeclaration::Declaration(d) = &d.node else { continue };
            let is_typedef = d.node.specifiers.iter().any(|s| {
                matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Typedef)
            });
            if !is_typedef {
                continue;
            }
            let base = base(&d.node.specifiers).unwrap_or_default();
            for x in &d.node.declarators {
                let declarator = &x.node.declarator;
                let Some((name, _)) = named(declarator) else { continue };
                // What comes nearest to the name is what it is.
                let mut inner = declarator;
                while let DeclaratorKind::Declarator(d) = &inner.node.kind.node {
                    inner = d;
                }
                match nearest(inner).or_else(|| nearest(declarator)) {
                    Some(DerivedDeclarator::Pointer(_)) => all.pointers.insert(name),
                    Some(DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)) => {
                        all.functions.insert(name)
                    }
                    None if all.pointers.contains(&base) => all.pointers.insert(name),
                    None if all.functions.contains(&base) => all.functions.insert(name),
                    _ => false,
                };
            }
        }
        all
    }
}

fn function(source: &Source, f: &Node<FunctionDefinition>, types: &Named) -> Option<FunctionAt> {
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
                found.parameters = d.node.parameters.iter().map(|p| parameter(&p.node, types)).collect();
                found.without_parameters_in_sizes();
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

impl FunctionAt {
    /// A size that is told by another parameter is none.
    fn without_parameters_in_sizes(&mut self) {
        let names: BTreeSet<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        let letter = |c: char| c == '_' || c.is_alphanumeric();
        let of_parameter = |size: &String| size.split(|c| !letter(c)).any(|w| names.contains(w));
        for size in self.parameters.iter_mut().flat_map(|p| &mut p.sizes) {
            *size = size.take().filter(|s| !of_parameter(s));
        }
    }
}

/// A size of an array, where it is made of constants and enumerators.
fn size(e: &Expression) -> Option<String> {
    match e {
        Expression::Constant(c) => match &c.node {
            Constant::Integer(i) => {
                let base = match i.base {
                    IntegerBase::Decimal => "",
                    IntegerBase::Octal => "0",
                    IntegerBase::Hexadecimal => "0x",
                    IntegerBase::Binary => "0b",
                };
                Some(format!("{base}{}", i.number))
            }
            Constant::Float(_) | Constant::Character(_) => None,
        },
        Expression::Identifier(i) => Some(i.node.name.clone()),
        Expression::BinaryOperator(b) => {
            let operator = match b.node.operator.node {
                BinaryOperator::Plus => "+",
                BinaryOperator::Minus => "-",
                BinaryOperator::Multiply => "*",
                BinaryOperator::Divide => "/",
                BinaryOperator::ShiftLeft => "<<",
                _ => return None,
            };
            Some(format!("({} {operator} {})", size(&b.node.lhs.node)?, size(&b.node.rhs.node)?))
        }
        _ => None,
    }
}

fn parameter(p: &ParameterDeclaration, types: &Named) -> Parameter {
    let base = base(&p.specifiers);
    let is = |all: &BTreeSet<String>| base.as_ref().is_some_and(|b| all.contains(b));
    let (hidden, function) = (is(&types.pointers), is(&types.functions));
    let Some(d) = &p.declarator else {
        return Parameter {
            name: String::new(),
            base,
            pointers: 0,
            sizes: Vec::new(),
            odd: function,
            hidden,
        };
    };
    let name = named(d).map_or_else(String::new, |n| n.0);
    let leads = |d: &Node<DerivedDeclarator>| {
        matches!(d.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_))
    };
    let odd = matches!(d.node.kind.node, DeclaratorKind::Declarator(_)) || !d.node.derived.iter().all(leads);
    let sizes = d.node.derived.iter().filter_map(|x| match &x.node {
        DerivedDeclarator::Array(a) => Some(match &a.node.size {
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => size(&e.node),
            ArraySize::Unknown | ArraySize::VariableUnknown => None,
        }),
        _ => None,
    });
    let sizes = sizes.collect();
    Parameter { name, base, pointers: d.node.derived.len(), sizes, odd: odd || function, hidden }
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
             int many(int, ...) {\n  return 0;\n}\n\
             enum { N = 4 }; typedef int (*call)(int), work(int); typedef call again; typedef char *text; typedef int row[3];\n\
             void arrays(int n, int a[2 * N][0x3], int v[n], again c, text t, work *w, row r) {}\n";
        std::fs::write(dir.join("a.c"), text).unwrap();
        let all = outline(&dir.join("a.c"), &Options::default()).unwrap().functions;
        std::fs::remove_dir_all(&dir).unwrap();
        let said = |i: usize| -> Vec<(&str, Option<&str>, usize, bool)> {
            let one = |p: &'_ super::Parameter| (p.pointers, p.odd);
            let ps = all[i].parameters.iter();
            ps.map(|p| (p.name.as_str(), p.base.as_deref(), one(p).0, one(p).1)).collect()
        };
        assert_eq!(all.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["f", "none", "many", "arrays"]);
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
        let last = &all[0].parameters[3];
        assert_eq!((last.sizes.as_slice(), last.hidden), (&[None][..], false));
        assert!(said(1).is_empty() && !all[1].open && all[2].open);
        let p: Vec<(&[Option<String>], bool, bool)> =
            all[3].parameters.iter().map(|p| (p.sizes.as_slice(), p.odd, p.hidden)).collect();
        let size = |s: &str| Some(s.to_string());
        assert_eq!(p[1], (&[size("(2 * N)"), size("0x3")][..], false, false));
        assert_eq!(p[2], (&[None][..], false, false));
        assert_eq!(
            &p[3..],
            [(&[][..], false, true), (&[][..], false, true), (&[][..], true, false), (&[][..], false, false)]
        );
        assert_eq!((all[1].start.line, all[1].start.column, all[2].end.line), (3, 6, 6));
    }
}
