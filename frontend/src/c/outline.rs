//! Where a file's statements and calls are, for witnesses that name places.

use super::signatures::{FunctionAt, functions};
use super::source::Source;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use lang_c::visit::{self, Visit};
use relyant_cfa::diagnostic::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// A `for`, `while` or `do` loop.
    Loop,
    /// An `if` or a `switch`.
    Branch,
    /// A declaration inside of a function, of whatever.
    Declaration,
    /// `{ … }` and labels: nothing happens in these themselves.
    Group,
    /// Any other: an expression, a jump, or nothing.
    Simple,
}

/// A statement or a declaration inside of a function.
#[derive(Clone, Debug)]
pub struct StatementAt {
    /// Where its first character is.
    pub start: Span,
    /// Its last character, a semicolon or a brace mostly.
    pub end: Span,
    /// What sort of statement it is.
    pub kind: StatementKind,
    /// The function it is in.
    pub function: Arc<str>,
    /// Index of the last statement inside of it; its own when there is none.
    pub last: usize,
    /// Locals and parameters in scope before it, innermost last.
    pub scope: Arc<Vec<String>>,
    /// Of a `for` loop: the first character of its condition.
    pub condition: Option<Span>,
    /// Of a loop: the first character of its body.
    pub body: Option<Span>,
    /// What it does, as far as statements that are done together with it are concerned.
    pub effect: Effect,
    pub(super) parts: Parts,
}

impl StatementAt {
    fn is_around(&self, file: u32, at: (u32, u32)) -> bool {
        let (start, end) = ((self.start.line, self.start.column), (self.end.line, self.end.column));
        self.start.file == file && start <= at && at <= end
    }
}

/// What a statement does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It is a call.
    Call,
    /// It is an expression.
    Expression,
    /// It is a `return` of nothing or of a constant.
    Return,
    /// A statement of any other sort.
    Other,
}

/// Where the parts of a statement are in the mended text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    pub(super) whole: (usize, usize),
    /// Of a loop: its condition; none where it has none.
    pub(super) condition: Option<(usize, usize)>,
    pub(super) body: Option<(usize, usize)>,
    /// The condition comes before the body.
    pub(super) tests_first: bool,
}

/// A call inside of a function.
#[derive(Clone, Debug)]
pub struct CallAt {
    /// The function, when it is called by its name.
    pub name: String,
    /// Where its first character is.
    pub start: Span,
    /// Its closing parenthesis, the last character.
    pub close: Span,
    /// The innermost statement that it is in.
    pub statement: usize,
    /// Its first argument, when that is the address of a variable.
    pub first: Option<String>,
    /// Its other arguments are null or constants.
    pub plain: bool,
}

/// The statements and calls of a file, in the order of their first characters.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Files that spans refer to.
    pub files: Vec<String>,
    /// Their lines, as far as known.
    pub lines: Vec<Vec<String>>,
    /// Functions with a body, in order.
    pub functions: Vec<FunctionAt>,
    /// Statements, outer before inner.
    pub statements: Vec<StatementAt>,
    /// Calls, in the order of their first characters.
    pub calls: Vec<CallAt>,
    /// How often each identifier is used in expressions.
    pub uses: BTreeMap<String, usize>,
    /// Names declared outside of functions.
    pub globals: BTreeSet<String>,
    /// Variables and members of floating types, by their names.
    pub floating: BTreeSet<String>,
}

impl Outline {
    /// The innermost statement around a place.
    pub fn statement_at(&self, file: u32, line: u32, column: u32) -> Option<usize> {
        self.statements.iter().rposition(|s| s.is_around(file, (line, column)))
    }

    /// The statements around a place, outer before inner.
    pub fn statements_at(&self, file: u32, line: u32, column: u32) -> impl Iterator<Item = &StatementAt> {
        self.statements.iter().filter(move |s| s.is_around(file, (line, column)))
    }

    /// The index of a file.
    pub fn file(&self, name: &str) -> Option<u32> {
        self.files.iter().position(|f| f == name).and_then(|i| u32::try_from(i).ok())
    }
}

/// Reads the places off.
pub(super) fn outline(source: &Source, unit: &TranslationUnit) -> Outline {
    let mut v = Walk {
        source,
        function: "".into(),
        scope: Arc::new(Vec::new()),
        inside: None,
        statements: Vec::new(),
        calls: Vec::new(),
        uses: BTreeMap::new(),
        globals: BTreeSet::new(),
        floating: BTreeSet::new(),
    };
    v.visit_translation_unit(unit);
    Outline {
        files: source.files.clone(),
        lines: source.lines.clone(),
        functions: functions(source, unit),
        statements: v.statements,
        calls: v.calls,
        uses: v.uses,
        globals: v.globals,
        floating: v.floating,
    }
}

struct Walk<'s> {
    source: &'s Source,
    function: Arc<str>,
    scope: Arc<Vec<String>>,
    inside: Option<usize>,
    statements: Vec<StatementAt>,
    calls: Vec<CallAt>,
    uses: BTreeMap<String, usize>,
    globals: BTreeSet<String>,
    floating: BTreeSet<String>,
}

impl Walk<'_> {
    fn push(&mut self, span: &Bytes, kind: StatementKind) -> usize {
        let end = self.source.span(span.end.saturating_sub(1).max(span.start));
        let index = self.statements.len();
        self.statements.push(StatementAt {
            start: self.source.span(span.start),
            end,
            kind,
            function: self.function.clone(),
            last: index,
            scope: self.scope.clone(),
            condition: None,
            body: None,
            effect: Effect::Other,
            parts: Parts { whole: (span.start, span.end), ..Parts::default() },
        });
        index
    }

    /// Is it a floating type? Names of types are in the same set as those of variables.
    fn floats(&self, t: &TypeSpecifier) -> bool {
        match t {
            TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::TS18661Float(_) => true,
            TypeSpecifier::TypedefName(i) => self.floating.contains(&i.node.name),
            _ => false,
        }
    }

    fn declare(&mut self, d: &Node<Declarator>) {
        if let Some(name) = declared(&d.node) {
            Arc::make_mut(&mut self.scope).push(name.to_string());
        }
    }
}

fn effect(s: &Statement) -> Effect {
    match s {
        Statement::Return(None) => Effect::Return,
        Statement::Return(Some(e)) if matches!(e.node, Expression::Constant(_)) => Effect::Return,
        Statement::Expression(Some(e)) if matches!(e.node, Expression::Call(_)) => Effect::Call,
        Statement::Expression(Some(_)) => Effect::Expression,
        Statement::Labeled(_)
        | Statement::Compound(_)
        | Statement::Expression(None)
        | Statement::If(_)
        | Statement::Switch(_)
        | Statement::While(_)
        | Statement::DoWhile(_)
        | Statement::For(_)
        | Statement::Goto(_)
        | Statement::Continue
        | Statement::Break
        | Statement::Return(Some(_))
        | Statement::Asm(_) => Effect::Other,
    }
}

fn is_constant(e: &Expression) -> bool {
    match e {
        Expression::Constant(_) => true,
        Expression::Cast(c) => is_constant(&c.node.expression.node),
        _ => false,
    }
}

fn address_of(e: &Expression) -> Option<String> {
    let Expression::UnaryOperator(u) = e else { return None };
    match (&u.node.operator.node, &u.node.operand.node) {
        (UnaryOperator::Address, Expression::Identifier(i)) => Some(i.node.name.clone()),
        _ => None,
    }
}

fn declared(d: &Declarator) -> Option<&str> {
    match &d.kind.node {
        DeclaratorKind::Identifier(i) => Some(&i.node.name),
        DeclaratorKind::Declarator(inner) => declared(&inner.node),
        DeclaratorKind::Abstract => None,
    }
}

impl<'a> Visit<'a> for Walk<'_> {
    fn visit_function_definition(&mut self, f: &'a FunctionDefinition, span: &'a Bytes) {
        self.function = declared(&f.declarator.node).unwrap_or_default().into();
        self.globals.insert(self.function.to_string());
        let outer = self.scope.clone();
        for d in &f.declarator.node.derived {
            if let DerivedDeclarator::Function(function) = &d.node {
                for p in &function.node.parameters {
                    if let Some(d) = &p.node.declarator {
                        self.declare(d);
                    }
                }
            }
        }
        visit::visit_function_definition(self, f, span);
        self.scope = outer;
        self.function = "".into();
    }

    fn visit_statement(&mut self, s: &'a Statement, span: &'a Bytes) {
        let kind = match s {
            Statement::Compound(_) | Statement::Labeled(_) => StatementKind::Group,
            Statement::While(_) | Statement::DoWhile(_) | Statement::For(_) => StatementKind::Loop,
            Statement::If(_) | Statement::Switch(_) => StatementKind::Branch,
            Statement::Expression(_)
            | Statement::Goto(_)
            | Statement::Continue
            | Statement::Break
            | Statement::Return(_)
            | Statement::Asm(_) => StatementKind::Simple,
        };
        let index = self.push(span, kind);
        let bytes = |at: &Bytes| (at.start, at.end);
        let (condition, body) = match s {
            Statement::While(w) => (Some(w.node.expression.span), Some(w.node.statement.span)),
            Statement::DoWhile(w) => (Some(w.node.expression.span), Some(w.node.statement.span)),
            Statement::For(f) => (f.node.condition.as_ref().map(|c| c.span), Some(f.node.statement.span)),
            _ => (None, None),
        };
        let at = self.statements.len() - 1;
        if matches!(s, Statement::For(_)) {
            self.statements[at].condition = condition.map(|c| self.source.span(c.start));
        }
        self.statements[at].body = body.as_ref().map(|b| self.source.span(b.start));
        self.statements[at].effect = effect(s);
        self.statements[at].parts.condition = condition.as_ref().map(bytes);
        self.statements[at].parts.body = body.as_ref().map(bytes);
        self.statements[at].parts.tests_first = !matches!(s, Statement::DoWhile(_));
        let (outer, scope) = (self.inside.replace(index), self.scope.clone());
        visit::visit_statement(self, s, span);
        self.inside = outer;
        self.scope = scope;
        self.statements[index].last = self.statements.len() - 1;
    }

    fn visit_block_item(&mut self, item: &'a BlockItem, span: &'a Bytes) {
        let BlockItem::Declaration(d) = item else { return visit::visit_block_item(self, item, span) };
        let index = self.push(&d.span, StatementKind::Declaration);
        let outer = self.inside.replace(index);
        visit::visit_block_item(self, item, span);
        self.inside = outer;
        self.statements[index].last = self.statements.len() - 1;
    }

    fn visit_init_declarator(&mut self, d: &'a InitDeclarator, span: &'a Bytes) {
        if self.inside.is_some() {
            self.declare(&d.declarator);
        } else if let Some(name) = declared(&d.declarator.node) {
            self.globals.insert(name.to_string());
        }
        visit::visit_init_declarator(self, d, span);
    }

    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Bytes) {
        if let Some(statement) = self.inside {
            self.calls.push(CallAt {
                name: super::scan::name_of(&call.callee.node).unwrap_or_default().to_string(),
                start: self.source.span(span.start),
                close: self.source.span(span.end.saturating_sub(1)),
                statement,
                first: call.arguments.first().and_then(|a| address_of(&a.node)),
                plain: call.arguments.iter().skip(1).all(|a| is_constant(&a.node)),
            });
        }
        visit::visit_call_expression(self, call, span);
    }
    fn visit_expression(&mut self, e: &'a Expression, span: &'a Bytes) {
        if let Expression::Identifier(i) = e {
            *self.uses.entry(i.node.name.clone()).or_default() += 1;
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_declaration(&mut self, d: &'a Declaration, span: &'a Bytes) {
        let is_floating = |s: &Node<DeclarationSpecifier>| match &s.node {
            DeclarationSpecifier::TypeSpecifier(t) => self.floats(&t.node),
            _ => false,
        };
        if d.specifiers.iter().any(is_floating) {
            let names = d.declarators.iter().filter_map(|i| declared(&i.node.declarator.node));
            self.floating.extend(names.map(str::to_string));
        }
        visit::visit_declaration(self, d, span);
    }

    fn visit_struct_field(&mut self, f: &'a StructField, span: &'a Bytes) {
        let is_floating = |s: &Node<SpecifierQualifier>| match &s.node {
            SpecifierQualifier::TypeSpecifier(t) => self.floats(&t.node),
            _ => false,
        };
        if f.specifiers.iter().any(is_floating) {
            let declarators = f.declarators.iter().filter_map(|d| d.node.declarator.as_ref());
            self.floating.extend(declarators.filter_map(|d| declared(&d.node)).map(str::to_string));
        }
        visit::visit_struct_field(self, f, span);
    }

    fn visit_parameter_declaration(&mut self, p: &'a ParameterDeclaration, span: &'a Bytes) {
        let is_floating = |s: &Node<DeclarationSpecifier>| match &s.node {
            DeclarationSpecifier::TypeSpecifier(t) => self.floats(&t.node),
            _ => false,
        };
        if p.specifiers.iter().any(is_floating) {
            self.floating.extend(p.declarator.as_ref().and_then(|d| declared(&d.node)).map(str::to_string));
        }
        visit::visit_parameter_declaration(self, p, span);
    }
}
