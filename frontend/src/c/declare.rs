//! Declarations: specifiers and declarators to types.

use super::lower::{Lower, Res};
use super::meanings::Attributes;
use super::scope::Symbol;
use super::specifiers::Specifiers;
use super::specifiers::qualifiers;
use super::specifiers::specifiers;
use super::types::{BOOL, CHAR, INT, Int, Signature, Ty};
use lang_c::ast::*;
use lang_c::span::Node;
use std::rc::Rc;

/// What a declarator declares.
#[derive(Debug)]
pub struct Named<'a> {
    /// Name; empty for an abstract declarator.
    pub name: String,
    /// The type it is declared with.
    pub ty: Ty,
    /// The parameters, when it is a function.
    pub params: Option<&'a Node<DerivedDeclarator>>,
    /// Attributes of the declarator.
    pub attributes: Vec<&'a Node<Extension>>,
    /// It is an object that is `const` as a whole.
    pub constant: bool,
}

impl Named<'_> {
    /// Something of a type, without more.
    pub fn of(name: &str, ty: Ty) -> Self {
        Named { name: name.into(), ty, params: None, attributes: Vec::new(), constant: false }
    }
    /// A parameter: arrays and functions are pointers, which are not `const` where the elements are.
    pub fn decay(&mut self, constant: bool) {
        self.constant = constant && !matches!(self.ty, Ty::Array(..));
        self.ty = decay(self.ty.clone());
    }
}

/// Why a type of TS 18661 is none here.
fn no_float(f: &TS18661FloatType) -> Option<&'static str> {
    match f.format {
        TS18661FloatFormat::BinaryInterchange | TS18661FloatFormat::BinaryExtended => None,
        TS18661FloatFormat::DecimalInterchange => Some("decimal floating types are not supported"),
        // The token pass has it stand for `__int128`.
        TS18661FloatFormat::DecimalExtended => Some("integers of 128 bits are not supported"),
    }
}

/// Why nothing is known of the rows of a parameter such as `int a[n][m]`, until the function is called.
pub const ROWS: &str = "rows of variable length are known in functions that are called by their names only";

fn unsupported(why: &str) -> Ty {
    Ty::Unsupported(Rc::from(why))
}

impl<'a> Lower<'a> {
    /// The type that specifiers name; types without a meaning here become [`Ty::Unsupported`].
    pub fn base_type(&mut self, s: &Specifiers<'a>) -> Res<Ty> {
        self.modelled_attributes(&s.of_type)?;
        let (mut long, mut short, mut signed, mut unsigned, mut char) = (0, false, false, false, false);
        let mut found: Option<Ty> = None;
        for t in &s.types {
            match &t.node {
                TypeSpecifier::Void => found = Some(Ty::Void),
                TypeSpecifier::Char => char = true,
                TypeSpecifier::Short => short = true,
                TypeSpecifier::Int => {}
                TypeSpecifier::Long => long += 1,
                TypeSpecifier::Signed => signed = true,
                TypeSpecifier::Unsigned => unsigned = true,
                TypeSpecifier::Bool => found = Some(Ty::Int(BOOL)),
                TypeSpecifier::Float => found = Some(Ty::Float(4)),
                TypeSpecifier::Double => found = Some(Ty::Float(8)),
                TypeSpecifier::TS18661Float(f) => {
                    found = Some(match no_float(f) {
                        Some(why) => unsupported(why),
                        None => Ty::Float((f.width as u64).div_ceil(8).max(1)),
                    })
                }
                TypeSpecifier::Complex => found = Some(unsupported("complex numbers are not supported")),
                TypeSpecifier::Atomic(name) => {
                    let inner = self.type_name(name)?;
                    found = Some(atomic(inner));
                }
                TypeSpecifier::Struct(r) => {
                    let layout = self.layout_of(&s.of_type)?;
                    found = Some(self.record_type(r, &layout)?);
                }
                TypeSpecifier::Enum(e) => {
                    let layout = self.layout_of(&s.of_type)?;
                    let ty = self.enum_type(e, layout.packed)?;
                    found = Some(self.with_mode(ty, &s.of_type)?);
                }
                TypeSpecifier::TypedefName(n) => {
                    let name = &n.node.name;
                    found = Some(match self.context.scopes.get(name) {
                        Some(Symbol::Type(t)) => t.clone(),
                        Some(Symbol::Broken(d)) => return Err(d.clone()),
                        _ if name == "__builtin_va_list" && self.unit.uses.lists => {
                            super::listed::type_of_list(&self.unit.types)
                        }
                        // Nobody looks in it.
                        _ if name == "__builtin_va_list" => Ty::Int(self.unit.types.ulong()),
                        _ => return self.error(n.span, format!("`{name}` is not a type"), ""),
                    });
                }
                TypeSpecifier::TypeOf(t) => {
                    found = Some(match &t.node {
                        TypeOf::Type(n) => self.type_name(n)?,
                        TypeOf::Expression(e) if self.variable_size(e).is_some() => {
                            unsupported("arrays of variable length are not supported")
                        }
                        TypeOf::Expression(e) => self.type_of(e)?,
                    });
                }
            }
        }
        let ty = match found {
            Some(Ty::Float(_)) if long > 0 => Ty::Float(if self.unit.types.is_32_bit() { 12 } else { 16 }),
            Some(t) => t,
            None => {
                let base = match (char, short, long) {
                    (true, _, _) => Int { signed, ..CHAR },
                    (_, true, _) => super::types::SHORT,
                    (_, _, 0) => INT,
                    (_, _, 1) => self.unit.types.long(),
                    _ => super::types::LONG_LONG,
                };
                // Plain char is signed, as on x86 and in the SV-COMP rules.
                Ty::Int(Int { signed: !unsigned, ..base })
            }
        };
        let ty = self.with_mode(ty, &s.attributes)?;
        Ok(if s.atomic { atomic(ty) } else { ty })
    }

    /// A type name as in a cast.
    pub fn type_name(&mut self, n: &'a Node<TypeName>) -> Res<Ty> {
        let s = qualifiers(&n.node.specifiers);
        let base = self.base_type(&s)?;
        match &n.node.declarator {
            Some(d) => Ok(self.declarator(base, d)?.ty),
            None => Ok(base),
        }
    }

    /// Applies a declarator to a type.
    pub fn declarator(&mut self, base: Ty, d: &'a Node<Declarator>) -> Res<Named<'a>> {
        let own: Vec<&'a Node<Extension>> = d.node.extensions.iter().collect();
        let mut ty = self.with_mode(base, &own)?;
        let derived = &d.node.derived;
        let mut attributes: Vec<&'a Node<Extension>> = d.node.extensions.iter().collect();
        let prefix = derived.iter().take_while(|x| matches!(x.node, DerivedDeclarator::Pointer(_))).count();
        for p in &derived[..prefix] {
            ty = ty.pointer();
            let DerivedDeclarator::Pointer(qualifiers) = &p.node else { continue };
            for q in qualifiers {
                match &q.node {
                    PointerQualifier::TypeQualifier(t) if t.node == TypeQualifier::Atomic => ty = atomic(ty),
                    PointerQualifier::TypeQualifier(_) => {}
                    PointerQualifier::Extension(list) => attributes.extend(list),
                }
            }
        }
        for x in derived[prefix..].iter().rev() {
            ty = match &x.node {
                DerivedDeclarator::Pointer(_) => ty.pointer(),
                DerivedDeclarator::Array(a) => self.array_type(ty, &a.node)?,
                DerivedDeclarator::Function(f) => self.function_type(ty, &f.node)?,
                DerivedDeclarator::KRFunction(names) => {
                    let params = if names.is_empty() { None } else { Some(vec![Ty::Int(INT); names.len()]) };
                    Ty::Function(Rc::new(Signature { result: ty.into_result(), params, variadic: false }))
                }
                DerivedDeclarator::Block(_) => unsupported("blocks are not supported"),
            };
        }
        match &d.node.kind.node {
            DeclaratorKind::Abstract => Ok(Named {
                name: String::new(),
                ty,
                params: derived.get(prefix),
                attributes,
                constant: false,
            }),
            DeclaratorKind::Identifier(i) => Ok(Named {
                name: i.node.name.clone(),
                ty,
                params: derived.get(prefix),
                attributes,
                constant: false,
            }),
            DeclaratorKind::Declarator(inner) => {
                let mut named = self.declarator(ty, inner)?;
                named.attributes.extend(attributes);
                if inner.node.derived.is_empty() {
                    named.params = derived.get(prefix);
                }
                Ok(named)
            }
        }
    }

    pub fn array_type(&mut self, element: Ty, a: &'a ArrayDeclarator) -> Res<Ty> {
        Ok(match &a.size {
            ArraySize::Unknown | ArraySize::VariableUnknown => Ty::Array(Rc::new(element), None),
            // A parameter is a pointer, however many there are; sizes may name other parameters.
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e)
                if self.context.in_parameter && !matches!(self.constant(e), Ok(Some(_))) =>
            {
                Ty::Array(Rc::new(element), None)
            }
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => match self.constant(e)? {
                Some(n) => match u64::try_from(n) {
                    Ok(n) => Ty::Array(Rc::new(element), Some(n)),
                    Err(_) => return self.error(e.span, format!("an array of {n} elements"), ""),
                },
                None => unsupported("arrays of variable length are not supported"),
            },
        })
    }

    fn function_type(&mut self, result: Ty, f: &'a FunctionDeclarator) -> Res<Ty> {
        let result = result.into_result();
        let mut params = Vec::new();
        self.context.scopes.enter();
        let mut failed = None;
        for p in &f.parameters {
            match self.parameter(&p.node) {
                Ok(n) => params.push(n.ty),
                Err(d) => failed = Some(d),
            }
        }
        self.context.scopes.leave();
        if let Some(d) = failed {
            return Err(d);
        }
        if params == [Ty::Void] {
            params.clear();
        } else if params.is_empty() {
            return Ok(Ty::Function(Rc::new(Signature { result, params: None, variadic: false })));
        }
        let variadic = f.ellipsis == Ellipsis::Some;
        Ok(Ty::Function(Rc::new(Signature { result, params: Some(params), variadic })))
    }

    /// A parameter, arrays and functions made pointers.
    pub fn parameter(&mut self, p: &'a ParameterDeclaration) -> Res<Named<'a>> {
        let s = specifiers(&p.specifiers);
        self.modelled_attributes(&s.attributes)?;
        let base = self.base_type(&s)?;
        let mut named = match &p.declarator {
            Some(d) => {
                let outer = std::mem::replace(&mut self.context.in_parameter, true);
                let named = self.declarator(base, d);
                self.context.in_parameter = outer;
                named?
            }
            None => Named::of("", base),
        };
        named.decay(self.is_constant(&s, p.declarator.as_ref()));
        self.note_spelling(&named.name, &s);
        if let Ty::Pointer(t) = &named.ty
            && matches!(**t, Ty::Array(_, None))
        {
            named.ty = unsupported(ROWS).pointer();
        }
        Ok(named)
    }

    /// What a declarator declares, with the type of its initialiser for `__auto_type`; refuses attributes that are not modelled.
    pub fn declared(&mut self, s: &Specifiers<'a>, base: Ty, x: &'a Node<InitDeclarator>) -> Res<Named<'a>> {
        let mut named = self.declarator(base, &x.node.declarator)?;
        self.note_spelling(&named.name, s);
        if s.auto {
            named.ty = match x.node.initializer.as_ref().map(|i| &i.node) {
                Some(Initializer::Expression(e)) => decay(self.type_of(e)?.plain().clone()),
                _ => return self.error(x.span, "`__auto_type` needs an initialiser", ""),
            };
        }
        named.constant = self.is_constant(s, Some(&x.node.declarator));
        self.modelled_attributes(&s.attributes)?;
        self.modelled_attributes(&named.attributes)?;
        Ok(named)
    }

    /// Refuses attributes that are not modelled.
    pub fn modelled_attributes(&self, list: &[&'a Node<Extension>]) -> Res<()> {
        match &Attributes::of(list).foreign {
            Some(f) => self.refuse(f.at, format!("the attribute `{}` is", f.name), f.help),
            None => Ok(()),
        }
    }

    /// Refuses an assertion on constants that is false.
    pub fn static_assert(&mut self, a: &'a Node<StaticAssert>) -> Res<()> {
        match self.constant(&a.node.expression) {
            Ok(Some(0)) => {
                let message = a.node.message.node.concat();
                self.error(a.span, format!("static assertion failed: {message}"), "")
            }
            // What cannot be computed here, the compiler has accepted.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The type with the length that the initialiser gives.
    pub fn complete(&mut self, ty: Ty, init: Option<&'a Initializer>) -> Ty {
        match (&ty, init) {
            (Ty::Array(t, None), Some(i)) => match self.initializer_length(t, i) {
                Some(n) => Ty::Array(t.clone(), Some(n)),
                None => ty,
            },
            _ => ty,
        }
    }
}

/// `_Atomic` of a type.
pub fn atomic(ty: Ty) -> Ty {
    match ty {
        t @ (Ty::Int(_) | Ty::Pointer(_) | Ty::Float(4 | 8) | Ty::Record(_)) => Ty::Atomic(Rc::new(t)),
        Ty::Atomic(_) => ty,
        _ => unsupported("_Atomic of this type is not supported"),
    }
}

/// A parameter's type: arrays and functions are pointers.
pub fn decay(ty: Ty) -> Ty {
    match ty {
        Ty::Array(t, _) => Ty::Pointer(t),
        t @ Ty::Function(_) => t.pointer(),
        t => t,
    }
}
