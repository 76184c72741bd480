//! `_Generic` (C11 6.5.1.1). Types have no qualifiers here, and `char` is `signed char`: where that decides which
//! association is taken, it is looked up in how names are declared, or the selection is refused.

use super::lower::{Lower, Res};
use super::specifiers::{Specifiers, qualifiers};
use super::types::{CHAR, Ty};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};

/// What types do not say of what a declaration's specifiers name.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Spelling {
    /// It is `const`.
    constant: bool,
    /// It is `volatile`.
    volatile: bool,
    /// It is `signed char`.
    signed_char: bool,
}

/// A type at the end of pointers and arrays, and how many there are.
fn innermost(ty: &Ty) -> (&Ty, usize) {
    match ty.plain() {
        Ty::Pointer(t) | Ty::Array(t, _) => {
            let (t, n) = innermost(t);
            (t, n + 1)
        }
        t => (t, 0),
    }
}

impl<'a> Lower<'a> {
    /// The expression that a selection chooses.
    pub fn generic(&mut self, g: &'a Node<GenericSelection>, at: Bytes) -> Res<&'a Node<Expression>> {
        let ty = self.value_type(&g.node.expression)?;
        let (mut fit, mut default) = (Vec::new(), None);
        for a in &g.node.associations {
            match &a.node {
                GenericAssociation::Type(t) => {
                    if self.type_name(&t.node.type_name)? == ty {
                        fit.push(t);
                    }
                }
                GenericAssociation::Default(e) => default = Some(e),
            }
        }
        let (end, pointers) = innermost(&ty);
        let character = *end == Ty::Int(CHAR);
        // Programs compile: something is chosen.
        let certain = (pointers == 0 && !character) || (fit.len() == 1 && default.is_none());
        if !fit.is_empty() && !certain {
            let spelled = if pointers > 1 { None } else { self.spelled(&g.node.expression.node) };
            let Some(mut spelled) = spelled else {
                return self.refuse(
                    at,
                    "a selection by qualifiers, or by `char` and `signed char`, is",
                    "select by types that differ in more than that, or write the type as a cast",
                );
            };
            if pointers == 0 {
                // A value has no qualifiers.
                spelled = Spelling { signed_char: spelled.signed_char, ..Spelling::default() };
            }
            fit.retain(|t| {
                let s = qualifiers(&t.node.type_name.node.specifiers);
                self.spelling_of(&s) == Some(spelled)
            });
        }
        match fit.first().map(|t| &*t.node.expression).or(default.map(|e| &**e)) {
            Some(e) => Ok(e),
            None => self.error(at, "no association of `_Generic` fits", ""),
        }
    }

    /// What specifiers say; `None` where that is not known.
    fn spelling_of(&self, s: &Specifiers<'a>) -> Option<Spelling> {
        let mut out = Spelling { constant: s.fixed_value, volatile: s.volatile, signed_char: false };
        let has = |x: &TypeSpecifier| s.types().any(|t| t.node == *x);
        out.signed_char = has(&TypeSpecifier::Char) && has(&TypeSpecifier::Signed);
        for t in s.types() {
            match &t.node {
                TypeSpecifier::TypedefName(n) => {
                    let of = (*self.unit.symbols.spelled.get(&n.node.name)?)?;
                    out.constant |= of.constant;
                    out.volatile |= of.volatile;
                    out.signed_char |= of.signed_char;
                }
                TypeSpecifier::TypeOf(_) => return None,
                _ => {}
            }
        }
        Some(out)
    }

    /// Notes how a name is declared; declared in two ways it is not known.
    pub fn note_spelling(&mut self, name: &str, s: &Specifiers<'a>) {
        let spelling = if s.auto { None } else { self.spelling_of(s) };
        let known = self.unit.symbols.spelled.entry(name.to_string()).or_insert(spelling);
        if *known != spelling {
            *known = None;
        }
    }

    /// How what an expression's value is made of is declared.
    fn spelled(&self, e: &Expression) -> Option<Spelling> {
        match e {
            Expression::Identifier(i) => *self.unit.symbols.spelled.get(&i.node.name)?,
            Expression::StringLiteral(_) | Expression::Constant(_) => Some(Spelling::default()),
            Expression::Cast(c) => {
                let s = qualifiers(&c.node.type_name.node.specifiers);
                self.spelling_of(&s)
            }
            Expression::Call(c) => self.spelled(&c.node.callee.node),
            Expression::UnaryOperator(u) => match u.node.operator.node {
                UnaryOperator::Address | UnaryOperator::Indirection => self.spelled(&u.node.operand.node),
                _ => None,
            },
            Expression::BinaryOperator(b) => match b.node.operator.node {
                BinaryOperator::Index | BinaryOperator::Plus | BinaryOperator::Minus => {
                    self.spelled(&b.node.lhs.node)
                }
                _ => None,
            },
            _ => None,
        }
    }
}
