//! Facts about a whole file that lowering needs beforehand, and names whose address a function takes.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

/// Facts about a file.
#[derive(Clone, Default, Debug)]
pub struct FileFacts {
    /// Names whose address is taken anywhere.
    pub addressed: FxHashSet<String>,
    /// A mutex may be recursive or error checking.
    pub mutex_kinds: bool,
    /// `errno` is looked at.
    pub reads_errno: bool,
    /// Members that are mentioned.
    pub members: FxHashSet<String>,
    /// Some function takes arguments from a list.
    pub lists: bool,
    /// The global `NONDET` is written, so it is no input.
    pub writes_nondet: bool,
}

/// Reads a file's facts off.
pub fn facts(unit: &TranslationUnit) -> FileFacts {
    let mut v = FactVisitor(FileFacts::default());
    v.visit_translation_unit(unit);
    v.0
}

struct FactVisitor(FileFacts);

/// The name an expression is, through parentheses.
pub fn name_of(e: &Expression) -> Option<&str> {
    match e {
        Expression::Identifier(i) => Some(&i.node.name),
        _ => None,
    }
}

fn is_write(op: &BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(
        op,
        Assign
            | AssignMultiply
            | AssignDivide
            | AssignModulo
            | AssignPlus
            | AssignMinus
            | AssignShiftLeft
            | AssignShiftRight
            | AssignBitwiseAnd
            | AssignBitwiseXor
            | AssignBitwiseOr
    )
}

/// A mutex kind that behaves as a normal mutex does.
fn normal_kind(e: &Expression) -> bool {
    match e {
        Expression::Identifier(i) => matches!(
            i.node.name.as_str(),
            "PTHREAD_MUTEX_NORMAL"
                | "PTHREAD_MUTEX_DEFAULT"
                | "PTHREAD_MUTEX_TIMED_NP"
                | "PTHREAD_MUTEX_FAST_NP"
                | "PTHREAD_MUTEX_ADAPTIVE_NP"
        ),
        Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
        _ => false,
    }
}

impl<'a> Visit<'a> for FactVisitor {
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        let name = name_of(&c.callee.node).unwrap_or("");
        let kind = c.arguments.get(1);
        self.0.mutex_kinds |= match name {
            "pthread_mutexattr_settype" | "pthread_mutexattr_setkind_np" => {
                !kind.is_some_and(|a| normal_kind(&a.node))
            }
            "mtx_init" => !kind.is_some_and(|a| matches!(name_of(&a.node), Some("mtx_plain" | "mtx_timed"))),
            _ => false,
        };
        self.0.reads_errno |= super::errno::NAMES.contains(&name);
        visit::visit_call_expression(self, c, span);
    }
    fn visit_member_expression(&mut self, m: &'a MemberExpression, span: &'a Span) {
        self.0.members.insert(m.identifier.node.name.clone());
        visit::visit_member_expression(self, m, span);
    }
    fn visit_designator(&mut self, d: &'a Designator, span: &'a Span) {
        if let Designator::Member(name) = d {
            self.0.members.insert(name.node.name.clone());
        }
        visit::visit_designator(self, d, span);
    }
    fn visit_offset_designator(&mut self, o: &'a OffsetDesignator, span: &'a Span) {
        self.0.members.insert(o.base.node.name.clone());
        visit::visit_offset_designator(self, o, span);
    }
    fn visit_offset_member(&mut self, o: &'a OffsetMember, span: &'a Span) {
        if let OffsetMember::Member(n) | OffsetMember::IndirectMember(n) = o {
            self.0.members.insert(n.node.name.clone());
        }
        visit::visit_offset_member(self, o, span);
    }
    fn visit_initializer(&mut self, i: &'a Initializer, span: &'a Span) {
        // PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP and its like name the kind.
        if let Initializer::Expression(e) = i {
            if let Some(name) = name_of(&e.node) {
                if name.starts_with("PTHREAD_MUTEX_") && !normal_kind(&e.node) {
                    self.0.mutex_kinds = true;
                }
            }
        }
        visit::visit_initializer(self, i, span);
    }
    fn visit_binary_operator_expression(&mut self, b: &'a BinaryOperatorExpression, span: &'a Span) {
        if is_write(&b.operator.node) && name_of(&b.lhs.node) == Some("NONDET") {
            self.0.writes_nondet = true;
        }
        visit::visit_binary_operator_expression(self, b, span);
    }
    fn visit_va_arg_expression(&mut self, a: &'a VaArgExpression, span: &'a Span) {
        self.0.lists = true;
        visit::visit_va_arg_expression(self, a, span);
    }
    fn visit_unary_operator_expression(&mut self, u: &'a UnaryOperatorExpression, span: &'a Span) {
        use UnaryOperator::*;
        if matches!(u.operator.node, Address | PostIncrement | PostDecrement | PreIncrement | PreDecrement)
            && name_of(&u.operand.node) == Some("NONDET")
        {
            self.0.writes_nondet = true;
        }
        if u.operator.node == Address {
            self.0.addressed.extend(root(&u.operand.node).map(str::to_string));
        }
        visit::visit_unary_operator_expression(self, u, span);
    }
}

/// Arguments of the calls of `glb_init` in a file.
pub fn start_conditions(unit: &TranslationUnit) -> Vec<&Node<Expression>> {
    let mut v = ConditionVisitor(Vec::new());
    v.visit_translation_unit(unit);
    v.0
}

struct ConditionVisitor<'a>(Vec<&'a Node<Expression>>);

impl<'a> Visit<'a> for ConditionVisitor<'a> {
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        if name_of(&c.callee.node) == Some("glb_init") {
            self.0.extend(c.arguments.first());
        }
        visit::visit_call_expression(self, c, span);
    }
}

/// Names whose address is taken in a statement, other than where a modelled function only writes through it.
pub fn addressed(statement: &Statement) -> FxHashSet<String> {
    let mut v = AddressVisitor(FxHashSet::default());
    v.visit_statement(statement, &Span::none());
    v.0
}

/// Identifiers used in an expression, with places.
pub fn names(e: &Node<Expression>) -> Vec<(&str, Span)> {
    let mut v = NameVisitor(Vec::new());
    v.visit_expression(&e.node, &e.span);
    v.0
}

/// Identifiers used in expressions of a statement, with places.
pub fn identifiers(statement: &Node<Statement>) -> Vec<(&str, Span)> {
    let mut v = NameVisitor(Vec::new());
    v.visit_statement(&statement.node, &statement.span);
    v.0
}

struct NameVisitor<'a>(Vec<(&'a str, Span)>);

impl<'a> Visit<'a> for NameVisitor<'a> {
    fn visit_expression(&mut self, e: &'a Expression, span: &'a Span) {
        if let Some(name) = name_of(e) {
            self.0.push((name, *span));
        }
        visit::visit_expression(self, e, span);
    }
}

struct AddressVisitor(FxHashSet<String>);

/// Arguments by position that a modelled function accesses during the call only.
fn passing(name: &str) -> &'static [usize] {
    match name {
        "pthread_create" | "pthread_key_create" | "thrd_create" | "tss_create" => &[0],
        "pthread_join" | "thrd_join" => &[1],
        "sem_getvalue" | "pthread_mutexattr_gettype" => &[1],
        "__atomic_load" | "__atomic_store" => &[0, 1],
        "__atomic_exchange" | "__atomic_compare_exchange" => &[0, 1, 2],
        "__atomic_compare_exchange_n" => &[0, 1],
        n if n.starts_with("__atomic_") || n.starts_with("__sync_") => &[0],
        n if n.starts_with("atomic_compare_exchange_") => &[0, 1],
        n if n.starts_with("atomic_") => &[0],
        _ => &[],
    }
}

/// The operand of `&name`.
pub fn address_of_name(e: &Expression) -> Option<&str> {
    match e {
        Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Address => {
            name_of(&u.node.operand.node)
        }
        _ => None,
    }
}

/// The variable whose storage `&e` points into.
fn root(e: &Expression) -> Option<&str> {
    match e {
        Expression::Identifier(i) => Some(&i.node.name),
        Expression::Member(m) if m.node.operator.node == MemberOperator::Direct => {
            root(&m.node.expression.node)
        }
        Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
            root(&b.node.lhs.node)
        }
        _ => None,
    }
}

impl<'a> Visit<'a> for AddressVisitor {
    fn visit_call_expression(&mut self, c: &'a CallExpression, span: &'a Span) {
        let pass = name_of(&c.callee.node).map_or(&[][..], passing);
        self.visit_expression(&c.callee.node, span);
        for (k, a) in c.arguments.iter().enumerate() {
            if !(pass.contains(&k) && address_of_name(&a.node).is_some()) {
                self.visit_expression(&a.node, &a.span);
            }
        }
    }
    fn visit_unary_operator_expression(&mut self, u: &'a UnaryOperatorExpression, span: &'a Span) {
        if u.operator.node == UnaryOperator::Address {
            if let Some(name) = root(&u.operand.node) {
                self.0.insert(name.to_string());
            }
        }
        visit::visit_unary_operator_expression(self, u, span);
    }
}
