//! Declarations: specifiers and declarators to types.

use super::attributes::{Layout, only_arrays};
use super::layout::Declared;
use super::lower::{Lower, Res};
use super::meanings::Attributes;
use super::scope::{Global, Symbol, Tag};
use super::types::{BOOL, CHAR, Field, INT, Int, Record, RecordId, Signature, Sync, Ty, UINT};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::Diagnostic;
use std::rc::Rc;

/// The specifiers of a declaration.
#[derive(Debug, Default)]
pub struct Specifiers<'a> {
    types: Vec<&'a Node<TypeSpecifier>>,
    atomic: bool,
    /// `const`
    pub fixed_value: bool,
    /// `typedef`
    pub typedef: bool,
    /// `extern`
    pub external: bool,
    /// `static`
    pub fixed: bool,
    /// `_Thread_local`
    pub thread_local: bool,
    /// `register`
    pub register: bool,
    /// `__auto_type`: the type is that of the initialiser.
    pub auto: bool,
    /// `_Noreturn`
    pub noreturn: bool,
    /// Attributes of what is declared.
    pub attributes: Vec<&'a Node<Extension>>,
    /// Attributes of the struct, union or enum that is defined here.
    pub of_type: Vec<&'a Node<Extension>>,
}

impl<'a> Specifiers<'a> {
    /// The type specifiers.
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
            TypeQualifier::Volatile
            | TypeQualifier::Restrict
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
fn is_auto(t: &TypeOf) -> bool {
    match t {
        TypeOf::Expression(e) => super::scan::name_of(&e.node) == Some(super::tokens::AUTO),
        TypeOf::Type(_) => false,
    }
}

/// Does a specifier define a struct, union or enum?
fn has_body(t: &TypeSpecifier) -> bool {
    match t {
        TypeSpecifier::Struct(r) => r.node.declarations.is_some(),
        TypeSpecifier::Enum(e) => !e.node.enumerators.is_empty(),
        _ => false,
    }
}

/// What a declarator declares.
#[derive(Debug)]
pub struct Named<'a> {
    /// Name; empty for an abstract declarator.
    pub name: String,
    /// Type.
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

fn unsupported(why: &str) -> Ty {
    Ty::Unsupported(Rc::from(why))
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
                        _ if name == "__builtin_va_list" => {
                            unsupported("variable argument lists are not supported")
                        }
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
                    (_, true, _) => Int { rank: 2, bits: 16, signed: true },
                    (_, _, 0) => INT,
                    (_, _, 1) => self.unit.types.long(),
                    _ => Int { rank: 5, bits: 64, signed: true },
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
        if let Ty::Pointer(t) = &named.ty
            && matches!(**t, Ty::Array(_, None))
        {
            named.ty = unsupported("arrays of variable length are not supported").pointer();
        }
        Ok(named)
    }

    fn record_type(&mut self, r: &'a Node<StructType>, layout: &Layout) -> Res<Ty> {
        let union = r.node.kind.node == StructKind::Union;
        let name = r.node.identifier.as_ref().map(|i| i.node.name.clone()).unwrap_or_default();
        let known = match (name.is_empty(), r.node.declarations.is_some()) {
            (true, _) => None,
            (_, true) => self.context.scopes.tag_here(&name).cloned(),
            (_, false) => self.context.scopes.tag(&name).cloned(),
        };
        let id = match known {
            Some(Tag::Record(id))
                if r.node.declarations.is_none() || self.unit.types.records[id.0].fields.is_none() =>
            {
                id
            }
            _ => {
                let id = RecordId(self.unit.types.records.len());
                self.unit.types.records.push(Record {
                    name: name.clone(),
                    union,
                    fields: None,
                    cells: 0,
                    size: 0,
                    align: 1,
                    unknown: None,
                    views: Vec::new(),
                    view_of: Vec::new(),
                    tag: None,
                });
                if !name.is_empty() {
                    self.context.scopes.declare_tag(&name, Tag::Record(id));
                }
                id
            }
        };
        if let Some(declarations) = &r.node.declarations {
            let mut fields = Vec::new();
            for d in declarations {
                match &d.node {
                    StructDeclaration::Field(f) => self.fields(&f.node, &mut fields)?,
                    StructDeclaration::StaticAssert(a) => self.static_assert(a)?,
                }
            }
            self.lay_out(id, fields, layout);
        }
        Ok(Ty::Record(id))
    }

    fn fields(&mut self, f: &'a StructField, out: &mut Vec<Declared>) -> Res<()> {
        let s = qualifiers(&f.specifiers);
        let base = self.base_type(&s)?;
        let field = |name: Option<String>, ty: Ty, bit_field: bool, constant: bool| Field {
            name,
            ty,
            cell: 0,
            byte: 0,
            bit_field,
            constant,
            in_unit: 0,
            bit: 0,
        };
        if f.declarators.is_empty() && !self.unit.types.is_incomplete(&base) {
            let own = self.layout_of(&s.attributes)?;
            let field = field(None, base, false, s.fixed_value);
            out.push(Declared {
                field,
                width: None,
                unit: 0,
                own,
                named_align: self.unit.named_align(&s.types),
            });
            return Ok(());
        }
        for d in &f.declarators {
            let named = match &d.node.declarator {
                Some(x) => self.declarator(base.clone(), x)?,
                None => Named::of("", base.clone()),
            };
            let mut attributes = s.attributes.clone();
            attributes.extend(&named.attributes);
            let own = self.layout_of(&attributes)?;
            let constant = self.is_constant(&s, d.node.declarator.as_ref());
            let bare = d.node.declarator.as_ref().is_none_or(|x| only_arrays(&x.node));
            let named_align = self.unit.named_align(&s.types).filter(|_| bare);
            let name = (!named.name.is_empty()).then_some(named.name);
            match &d.node.bit_width {
                None if self.unit.types.is_incomplete(&named.ty) => {
                    let name = name.unwrap_or_default();
                    return self.error(d.span, format!("member `{name}` of a type that is not defined"), "");
                }
                None => {
                    let field = field(name, named.ty, false, constant);
                    out.push(Declared { field, width: None, unit: 0, own, named_align });
                }
                Some(w) => {
                    let width = self.constant(w)?.and_then(|w| u8::try_from(w).ok());
                    let (Some(width), Some(int)) = (width, named.ty.int()) else {
                        return self.error(
                            w.span,
                            "a bit-field needs an integer type and a constant width",
                            "",
                        );
                    };
                    if width > int.bits || (width == 0 && name.is_some()) {
                        let message = format!(
                            "a bit-field of type `{}` has 1 to {} bits",
                            self.unit.types.describe(&named.ty),
                            int.bits
                        );
                        return self.error(w.span, message, "");
                    }
                    let unit = self.unit.types.size(&named.ty).map_or(1, |s| s.0);
                    let ty = Ty::Int(Int { bits: if int.rank == 0 { 1 } else { width }, ..int });
                    let field = field(name, ty, true, constant);
                    out.push(Declared { field, width: Some(u64::from(width)), unit, own, named_align });
                }
            }
        }
        Ok(())
    }

    fn enum_type(&mut self, e: &'a Node<EnumType>, packed: bool) -> Res<Ty> {
        let name = e.node.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.node.enumerators.is_empty() {
            return Ok(match name.and_then(|n| self.context.scopes.tag(n)) {
                Some(Tag::Enum(t)) => t.clone(),
                _ => Ty::Int(UINT),
            });
        }
        let (mut next, mut least, mut most) = (0i128, 0i128, 0i128);
        let mut names = Vec::new();
        for x in &e.node.enumerators {
            if let Some(v) = &x.node.expression {
                match self.constant(v)? {
                    Some(v) => next = v,
                    None => return self.error(v.span, "the value of an enumerator must be constant", ""),
                }
            }
            (least, most) = (least.min(next), most.max(next));
            // Its type while the list goes on.
            self.context.scopes.declare(&x.node.identifier.node.name, Symbol::Constant(next, Ty::Int(INT)));
            names.push((&x.node.identifier.node.name, next));
            next = next.saturating_add(1);
        }
        // As gcc has it: unsigned unless a value is negative, int where that is wide enough.
        let long =
            Int { rank: if self.unit.types.long().bits == 64 { 4 } else { 5 }, bits: 64, signed: true };
        let candidates = [CHAR, Int { rank: 2, bits: 16, signed: true }, INT, long];
        let mut candidates = candidates.into_iter().skip(if packed { 0 } else { 2 });
        let holds = |t: &Int| {
            let kind = self.unit.types.kind(&Ty::Int(*t));
            kind.min().is_none_or(|m| m <= least) && kind.max().is_none_or(|m| most <= m)
        };
        let Some(int) = candidates.by_ref().map(|t| Int { signed: least < 0, ..t }).find(holds) else {
            return self.error(e.span, "the values of this enum fit no integer type", "");
        };
        let ty = Ty::Int(int);
        for (name, value) in names {
            // A constant that fits int is one.
            if i32::try_from(value).is_err() {
                self.context.scopes.declare(name, Symbol::Constant(value, ty.clone()));
            }
        }
        if let Some(n) = name {
            self.context.scopes.declare_tag(n, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }

    /// What a declarator declares, with the type of its initialiser for `__auto_type`; refuses attributes that are not modelled.
    pub fn declared(&mut self, s: &Specifiers<'a>, base: Ty, x: &'a Node<InitDeclarator>) -> Res<Named<'a>> {
        let mut named = self.declarator(base, &x.node.declarator)?;
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
    fn modelled_attributes(&self, list: &[&'a Node<Extension>]) -> Res<()> {
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

    /// Declares what a declaration at file scope declares. What can't be understood is an error where it is used.
    pub fn file_declaration(&mut self, d: &'a Node<Declaration>) {
        let s = specifiers(&d.node.specifiers);
        let base = self.base_type(&s);
        for x in &d.node.declarators {
            let declared = base.clone().and_then(|b| {
                let named = self.declared(&s, b, x)?;
                let list: Vec<_> = s.attributes.iter().chain(&named.attributes).copied().collect();
                self.symbol_attributes(&named.name, &list, s.register, x.span)?;
                Ok(named)
            });
            match declared {
                Ok(named) => self.declare_static(&s, named, x, d.span),
                Err(e) => self.broken(&x.node.declarator, e),
            }
        }
    }

    /// Declares a typedef, a function or an object with static storage.
    pub fn declare_static(
        &mut self,
        s: &Specifiers<'a>,
        named: Named<'a>,
        x: &'a Node<InitDeclarator>,
        at: Bytes,
    ) {
        let Named { name, ty, constant, .. } = named;
        if s.typedef {
            match constant {
                true => self.unit.types.constant.insert(name.clone()),
                false => self.unit.types.constant.remove(&name),
            };
            let ty = match name.as_str() {
                "atomic_flag" => atomic(Ty::Int(BOOL)),
                n => Sync::by_name(n).map_or(ty, Ty::Sync),
            };
            self.align_typedef(s, &name, &x.node.declarator);
            self.context.scopes.declare(&name, Symbol::Type(ty));
            return;
        }
        if matches!(ty, Ty::Function(_)) {
            if s.noreturn {
                self.unit.symbols.never_returns(&name);
            }
            if let Some(before) = self.unit.functions.declared.get(&name).map(|d| d.ty.clone()) {
                self.must_agree(&name, &before, &ty, x.span);
            }
            self.declare_function(&name, ty, None);
            return;
        }
        let init = x.node.initializer.as_ref().map(|i| &i.node);
        if self.declare_constant(s, &name, &ty, init) {
            return;
        }
        let external = s.external && init.is_none();
        let ty = self.complete(ty, init);
        let span = self.span(if x.span.is_none() { at } else { x.span });
        let earlier =
            if self.context.scopes.at_file() || s.external { self.file_global(&name) } else { None };
        if let Some(g) = earlier {
            let before = self.unit.objects.globals[g].ty.clone();
            self.must_agree(&name, &before, &ty, x.span);
            let g = &mut self.unit.objects.globals[g];
            g.external &= external;
            g.thread_local |= s.thread_local;
            if !matches!(ty, Ty::Array(_, None)) {
                g.ty = ty;
            }
            if init.is_some() || !external {
                g.span = span;
            }
            g.init = init.or(g.init);
            return;
        }
        let display = if self.context.scopes.at_file() || s.external {
            name.clone()
        } else {
            format!("{}::{name}", self.body.name)
        };
        self.unit.objects.globals.push(Global {
            name: display,
            ty,
            init,
            thread_local: s.thread_local,
            external,
            constant,
            object: None,
            span,
        });
        self.context.scopes.declare(&name, Symbol::Global(self.unit.objects.globals.len() - 1));
    }

    /// Keeps the alignment that a typedef name has besides its type's.
    fn align_typedef(&mut self, s: &Specifiers<'a>, name: &str, d: &'a Node<Declarator>) {
        let mut attributes = s.attributes.clone();
        attributes.extend(&d.node.extensions);
        let inherited = self.unit.named_align(&s.types).filter(|_| only_arrays(&d.node));
        let align = match self.layout_of(&attributes) {
            Ok(own) => own.align.or(inherited),
            Err(e) => return self.context.scopes.declare(name, Symbol::Broken(e)),
        };
        self.unit.types.aligned.remove(name);
        self.unit.types.aligned.extend(align.map(|a| (name.to_string(), a)));
    }

    /// A `const` integer with a constant value, and without use of its address, is that value.
    pub fn declare_constant(
        &mut self,
        s: &Specifiers<'a>,
        name: &str,
        ty: &Ty,
        init: Option<&'a Initializer>,
    ) -> bool {
        let (true, Ty::Int(_), Some(Initializer::Expression(e))) = (s.fixed_value, ty, init) else {
            return false;
        };
        if self.unit.uses.addressed.contains(name) {
            return false;
        }
        let Ok(Some(v)) = self.constant(e) else { return false };
        let value = super::value::wrap(v, self.unit.types.kind(ty));
        self.context.scopes.declare(name, Symbol::Constant(value, ty.clone()));
        true
    }

    fn file_global(&self, name: &str) -> Option<usize> {
        match self.context.scopes.get(name) {
            Some(Symbol::Global(g)) if self.unit.objects.globals[*g].name == name => Some(*g),
            _ => None,
        }
    }

    fn declare_function(&mut self, name: &str, ty: Ty, definition: Option<&'a Node<FunctionDefinition>>) {
        self.context.scopes.declare(name, Symbol::Function);
        let entry = self
            .unit
            .functions
            .declared
            .entry(name.to_string())
            .or_insert(super::scope::Declared { ty: ty.clone(), definition });
        if definition.is_some() || entry.definition.is_none() {
            entry.ty = ty;
        }
        entry.definition = definition.or(entry.definition);
    }

    fn broken(&mut self, d: &Node<Declarator>, e: Diagnostic) {
        let mut d = d;
        while let DeclaratorKind::Declarator(inner) = &d.node.kind.node {
            d = inner;
        }
        if let DeclaratorKind::Identifier(i) = &d.node.kind.node {
            self.context.scopes.declare(&i.node.name, Symbol::Broken(e));
        }
    }

    /// Declares a function that is defined here.
    pub fn file_function(&mut self, f: &'a Node<FunctionDefinition>) {
        let s = specifiers(&f.node.specifiers);
        let declared = self.base_type(&s).and_then(|b| self.declarator(b, &f.node.declarator));
        let declared = declared.and_then(|named| {
            self.modelled_attributes(&s.attributes)?;
            self.modelled_attributes(&named.attributes)?;
            let list: Vec<_> = s.attributes.iter().chain(&named.attributes).copied().collect();
            self.symbol_attributes(&named.name, &list, false, f.span)?;
            Ok(named)
        });
        match declared {
            Ok(named) => match self.old_style_signature(f, &named) {
                Ok(ty) => {
                    if let Some(before) = self.unit.functions.declared.get(&named.name).map(|d| d.ty.clone())
                    {
                        self.must_agree(&named.name, &before, &ty, f.span);
                    }
                    self.declare_function(&named.name, ty, Some(f));
                }
                Err(e) => self.broken(&f.node.declarator, e),
            },
            Err(e) => self.broken(&f.node.declarator, e),
        }
    }

    /// The type of a function, with the parameters of `f(a, b) int a; { … }` as they are declared.
    fn old_style_signature(&mut self, f: &'a Node<FunctionDefinition>, named: &Named<'a>) -> Res<Ty> {
        let (Ty::Function(s), Some(DerivedDeclarator::KRFunction(names))) =
            (&named.ty, named.params.map(|p| &p.node))
        else {
            return Ok(named.ty.clone());
        };
        let mut params = Vec::new();
        for n in names {
            params.push(self.old_style_parameter(f, &n.node.name)?.ty);
        }
        let params = (!params.is_empty()).then_some(params);
        Ok(Ty::Function(Rc::new(Signature { params, ..(**s).clone() })))
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
fn atomic(ty: Ty) -> Ty {
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
