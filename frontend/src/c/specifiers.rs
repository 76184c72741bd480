//! What the words before a declarator say: storage, qualifiers, type.

use lang_c::ast::*;
use lang_c::span::Node;

/// The specifiers of a declaration.
#[derive(Debug, Default)]
pub struct Specifiers<'a> {
    pub types: Vec<&'a Node<TypeSpecifier>>,
    pub atomic: bool,
    /// `const` is among them.
    pub fixed_value: bool,
    /// `volatile` is among them.
    pub volatile: bool,
    /// `typedef`: names are declared, no objects.
    pub typedef: bool,
    /// `extern` is among them.
    pub external: bool,
    /// `static` is among them.
    pub fixed: bool,
    /// `_Thread_local`: each thread has one.
    pub thread_local: bool,
    /// `register`: C forbids to take its address.
    pub register: bool,
    /// `__auto_type`: the type is that of the initialiser.
    pub auto: bool,
    /// `_Noreturn`: calls do not come back.
    pub noreturn: bool,
    /// Attributes of what is declared.
    pub attributes: Vec<&'a Node<Extension>>,
    /// Attributes of the struct, union or enum that is defined here.
    pub of_type: Vec<&'a Node<Extension>>,
}

impl<'a> Specifiers<'a> {
    /// The words that make the type, in the order of the source.
    pub fn types(&self) -> impl Iterator<Item = &'a Node<TypeSpecifier>> + '_ {
        self.types.iter().copied()
    }

    fn type_specifier(&mut self, t: &'a Node<TypeSpecifier>) {
        match &t.node {
            TypeSpecifier::TypeOf(of) if is_auto(&of.node) => self.auto = true,
            _ => self.types.push(t),
        }
    }

    fn qualifier(&mut self, q: &TypeQualifier) {
        match q {
            TypeQualifier::Atomic => self.atomic = true,
            TypeQualifier::Const => self.fixed_value = true,
            // Every access is a step anyway; what restrict and the others promise, the program keeps.
            TypeQualifier::Volatile => self.volatile = true,
            TypeQualifier::Restrict
            | TypeQualifier::Nonnull
            | TypeQualifier::NullUnspecified
            | TypeQualifier::Nullable => {}
        }
    }

    /// Attributes right behind a body are those of the type, others those of what is declared.
    fn extension(&mut self, behind_body: bool, list: &'a [Node<Extension>]) {
        if behind_body { &mut self.of_type } else { &mut self.attributes }.extend(list);
    }
}

/// Is it what stands for the type of an initialiser?
pub fn is_auto(t: &TypeOf) -> bool {
    match t {
        TypeOf::Expression(e) => super::scan::name_of(&e.node) == Some(super::tokens::AUTO),
        TypeOf::Type(_) => false,
    }
}

/// Does a specifier define a struct, union or enum?
pub fn has_body(t: &TypeSpecifier) -> bool {
    match t {
        TypeSpecifier::Struct(r) => r.node.declarations.is_some(),
        TypeSpecifier::Enum(e) => !e.node.enumerators.is_empty(),
        _ => false,
    }
}

/// Sorts the specifiers of a declaration.
pub fn specifiers<'a>(list: &'a [Node<DeclarationSpecifier>]) -> Specifiers<'a> {
    let mut s = Specifiers::default();
    let mut behind_body = false;
    for d in list {
        let body = matches!(&d.node, DeclarationSpecifier::TypeSpecifier(t) if has_body(&t.node));
        match &d.node {
            DeclarationSpecifier::TypeSpecifier(t) => s.type_specifier(t),
            DeclarationSpecifier::TypeQualifier(q) => s.qualifier(&q.node),
            DeclarationSpecifier::StorageClass(c) => match c.node {
                StorageClassSpecifier::Typedef => s.typedef = true,
                StorageClassSpecifier::Extern => s.external = true,
                StorageClassSpecifier::Static => s.fixed = true,
                StorageClassSpecifier::ThreadLocal => s.thread_local = true,
                StorageClassSpecifier::Register => s.register = true,
                StorageClassSpecifier::Auto => {}
            },
            DeclarationSpecifier::Function(f) => match f.node {
                // A call of a function is that, wherever its code stands.
                FunctionSpecifier::Inline => {}
                FunctionSpecifier::Noreturn => s.noreturn = true,
            },
            // The token pass makes attributes of them, which is what the parser takes everywhere.
            DeclarationSpecifier::Alignment(_) => {}
            DeclarationSpecifier::Extension(list) => s.extension(behind_body, list),
        }
        behind_body = body || (behind_body && matches!(d.node, DeclarationSpecifier::Extension(_)));
    }
    s
}

/// The same for type names and members.
pub fn qualifiers<'a>(list: &'a [Node<SpecifierQualifier>]) -> Specifiers<'a> {
    let mut s = Specifiers::default();
    let mut behind_body = false;
    for d in list {
        let body = matches!(&d.node, SpecifierQualifier::TypeSpecifier(t) if has_body(&t.node));
        match &d.node {
            SpecifierQualifier::TypeSpecifier(t) => s.type_specifier(t),
            SpecifierQualifier::TypeQualifier(q) => s.qualifier(&q.node),
            SpecifierQualifier::Extension(list) => s.extension(behind_body, list),
        }
        behind_body = body || (behind_body && matches!(d.node, SpecifierQualifier::Extension(_)));
    }
    s
}
