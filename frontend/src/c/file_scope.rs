//! Declarations of the file: objects with static storage, constants and functions.

use super::attributes::only_arrays;
use super::declare::Named;
use super::declare::atomic;
use super::lower::{Lower, Res};
use super::scope::{Global, Symbol};
use super::specifiers::Specifiers;
use super::specifiers::specifiers;
use super::types::{BOOL, Signature, Sync, Ty};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::Diagnostic;
use std::rc::Rc;

impl<'a> Lower<'a> {
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
        if let Some(index) = earlier {
            let before = self.unit.objects.globals[index].ty.clone();
            self.must_agree(&name, &before, &ty, x.span);
            let g = &mut self.unit.objects.globals[index];
            g.external &= external;
            g.thread_local |= s.thread_local;
            if !matches!(ty, Ty::Array(_, None)) {
                g.ty = ty;
            }
            if init.is_some() || !external {
                g.span = span;
            }
            g.init = init.or(g.init);
            if !self.context.scopes.at_file() {
                // A local of this name may be around.
                self.context.scopes.declare(&name, Symbol::Global(index));
            }
            return;
        }
        let function = (!self.context.scopes.at_file() && !s.external)
            .then(|| super::tokens::original_name(&self.body.name));
        let display = match function {
            Some(_) => format!("{}::{name}", self.body.name),
            None => name.clone(),
        };
        self.unit.objects.globals.push(Global {
            name: display,
            function,
            ty,
            init,
            thread_local: s.thread_local,
            external,
            constant,
            object: None,
            span,
        });
        let index = self.unit.objects.globals.len() - 1;
        if s.external && !self.context.scopes.at_file() {
            self.unit.symbols.of_blocks.insert(name.clone(), index);
        }
        self.context.scopes.declare(&name, Symbol::Global(index));
    }

    /// Keeps the alignment that a typedef name has besides its type's.
    pub fn align_typedef(&mut self, s: &Specifiers<'a>, name: &str, d: &'a Node<Declarator>) {
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

    pub fn file_global(&self, name: &str) -> Option<usize> {
        match self.context.scopes.of_file(name) {
            Some(Symbol::Global(g)) if self.unit.objects.globals[*g].name == name => Some(*g),
            _ => self.unit.symbols.of_blocks.get(name).copied(),
        }
    }

    pub fn declare_function(&mut self, name: &str, ty: Ty, definition: Option<&'a Node<FunctionDefinition>>) {
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

    pub fn broken(&mut self, d: &Node<Declarator>, e: Diagnostic) {
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
    pub fn old_style_signature(&mut self, f: &'a Node<FunctionDefinition>, named: &Named<'a>) -> Res<Ty> {
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
}
