//! Where a file's statements and calls are, for witnesses that name places.

use super::source::Source;
use crate::diagnostic::Span;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use lang_c::visit::{self, Visit};
use std::sync::Arc;

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `for`, `while`, `do`.
    Loop,
    /// `if`, `switch`.
    Branch,
    /// A declaration.
    Declaration,
    /// `{ … }` and labels: nothing happens in these themselves.
    Group,
    /// All else.
    Simple,
}

/// A statement or a declaration inside of a function.
#[derive(Clone, Debug)]
pub struct StatementAt {
    /// First character.
    pub start: Span,
    /// Last character.
    pub end: Span,
    /// What it is.
    pub kind: StatementKind,
    /// The function it is in.
    pub function: Arc<str>,
    /// Index of the last statement inside of it; its own when there is none.
    pub last: usize,
    /// Locals and parameters in scope before it, innermost last.
    pub scope: Arc<Vec<String>>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallAt {
    /// The function, when it is called by its name.
    pub name: String,
    /// First character.
    pub start: Span,
    /// Its closing parenthesis.
    pub close: Span,
    /// The innermost statement that it is in.
    pub statement: usize,
}

/// The statements and calls of a file, in the order of their first characters.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Files that spans refer to.
    pub files: Vec<String>,
    /// Their lines, as far as known.
    pub lines: Vec<Vec<String>>,
    /// Statements, outer before inner.
    pub statements: Vec<StatementAt>,
    /// Calls.
    pub calls: Vec<CallAt>,
}

impl Outline {
    /// The innermost statement around a place.
    pub fn statement_at(&self, file: u32, line: u32, column: u32) -> Option<usize> {
        let at = (line, column);
        let mut best = None;
        for (i, s) in self.statements.iter().enumerate() {
            if s.start.file == file
                && (s.start.line, s.start.column) <= at
                && at <= (s.end.line, s.end.column)
            {
                best = Some(i);
            }
        }
        best
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
    };
    v.visit_translation_unit(unit);
    Outline {
        files: source.files.clone(),
        lines: source.lines.clone(),
        statements: v.statements,
        calls: v.calls,
    }
}

struct Walk<'s> {
    source: &'s Source,
    function: Arc<str>,
    scope: Arc<Vec<String>>,
    inside: Option<usize>,
    statements: Vec<StatementAt>,
    calls: Vec<CallAt>,
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
        });
        index
    }

    fn declare(&mut self, d: &Node<Declarator>) {
        if let Some(name) = declared(&d.node) {
            Arc::make_mut(&mut self.scope).push(name.to_string());
        }
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
            _ => StatementKind::Simple,
        };
        let index = self.push(span, kind);
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
            });
        }
        visit::visit_call_expression(self, call, span);
    }
}
