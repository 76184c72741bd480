//! What of an expression may come in an order that C leaves open: its calls and reads.

use lang_c::ast::{
    BinaryOperator as Binary, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind,
    DerivedDeclarator, Expression, ExternalDeclaration, Initializer, InitializerListItem, MemberOperator,
    PointerQualifier, Statement, TypeQualifier, TypeSpecifier, UnaryOperator as Unary,
};
use lang_c::driver::{Config, parse_preprocessed};
use lang_c::span::Node;
use std::collections::BTreeSet;
use std::ops::Range;

/// A part of an expression that is evaluated each time the expression is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Where its text is.
    pub text: Range<usize>,
    /// What it does.
    pub does: Does,
}

/// What a leaf does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Does {
    /// It calls a function: its name, where it has one.
    Call(Option<String>),
    /// It reads the object of this name; an empty one: through a pointer.
    Read(String),
    /// It is an element of a list of values: the name of the declared object, and which cell gets it.
    Element { name: String, cell: String },
    /// `x op= v`: the read of `x`. The operator, where `x` is, and where `v` is.
    Update { name: String, target: Range<usize>, operator: String, value: Range<usize> },
}

impl Leaf {
    /// Places without what stands in front.
    fn moved(&mut self, by: usize) {
        let shift = |r: &mut Range<usize>| *r = r.start.saturating_sub(by)..r.end.saturating_sub(by);
        shift(&mut self.text);
        if let Does::Update { target, value, .. } = &mut self.does {
            shift(target);
            shift(value);
        }
    }
}

/// What a statement's text is made of.
#[derive(Debug, Default)]
pub struct Parts {
    /// It declares something.
    pub declares: bool,
    /// Names of objects that it defines const.
    pub constants: Vec<String>,
    /// Inner ones before those around them. None where the text is not understood.
    pub leaves: Vec<Leaf>,
}

impl Parts {
    /// Those of a statement or an expression, with the names of types.
    pub fn of(text: &str, types: &BTreeSet<String>) -> Parts {
        Parts::among(text, types, &BTreeSet::new())
    }

    /// The same, where some of the types are const.
    pub fn among(text: &str, types: &BTreeSet<String>, constant: &BTreeSet<String>) -> Parts {
        let mut around: String = types.iter().map(|t| format!("typedef int {t};")).collect();
        around.push_str("void relyant(void){");
        let mut found = Parts::default();
        let whole = format!("{around}{text};}}");
        let Ok(parsed) = parse_preprocessed(&Config::with_gcc(), whole) else { return found };
        let Some(ExternalDeclaration::FunctionDefinition(f)) = parsed.unit.0.last().map(|d| &d.node) else {
            return found;
        };
        let Statement::Compound(items) = &f.node.statement.node else { return found };
        // Nothing but the statement itself.
        match items.first().map(|i| &i.node) {
            Some(BlockItem::Declaration(d)) => {
                found.declares = true;
                found.constants = constants(&d.node, constant);
                for d in &d.node.declarators {
                    if let Some(value) = &d.node.initializer {
                        found.initializer(&value.node);
                        found.elements(&d.node.declarator.node, &value.node);
                    }
                }
            }
            Some(BlockItem::Statement(s)) => found.statement(&s.node),
            _ => {}
        }
        for leaf in &mut found.leaves {
            leaf.moved(around.len());
            // Spans of the parser go on to the next token.
            leaf.text.end = leaf.text.start + text.get(leaf.text.clone()).map_or(0, |t| t.trim_end().len());
        }
        found
    }

    fn statement(&mut self, s: &Statement) {
        match s {
            Statement::Expression(Some(e)) => self.root(e),
            Statement::Return(Some(e)) => self.value(e),
            _ => {}
        }
    }

    fn initializer(&mut self, i: &Initializer) {
        match i {
            Initializer::Expression(e) => self.value(e),
            Initializer::List(items) => self.items(items),
        }
    }

    /// Elements of an array's list that read or call: they may come in any order.
    fn elements(&mut self, of: &Declarator, value: &Initializer) {
        let (DeclaratorKind::Identifier(name), Initializer::List(items)) = (&of.kind.node, value) else {
            return;
        };
        if items.iter().any(|i| !i.node.designation.is_empty()) {
            return;
        }
        for (k, item) in items.iter().enumerate() {
            let Initializer::Expression(e) = &item.node.initializer.node else { continue };
            let within = |l: &Leaf| e.span.start <= l.text.start && l.text.end <= e.span.end;
            if self.leaves.iter().any(within) {
                self.leaf(e, Does::Element { name: name.node.name.clone(), cell: format!("[{k}]") });
            }
        }
    }

    fn items(&mut self, items: &[Node<InitializerListItem>]) {
        for item in items {
            self.initializer(&item.node.initializer.node);
        }
    }

    /// An expression whose value nobody wants: it comes last, whatever it is.
    fn root(&mut self, e: &Node<Expression>) {
        match &e.node {
            Expression::Call(c) => {
                self.value(&c.node.callee);
                c.node.arguments.iter().for_each(|a| self.value(a));
            }
            _ => self.value(e),
        }
    }

    fn leaf(&mut self, e: &Node<Expression>, does: Does) {
        self.leaves.push(Leaf { text: e.span.start..e.span.end, does });
    }

    fn value(&mut self, e: &Node<Expression>) {
        match &e.node {
            Expression::Call(c) => {
                self.value(&c.node.callee);
                c.node.arguments.iter().for_each(|a| self.value(a));
                let name = match &c.node.callee.node {
                    Expression::Identifier(i) => Some(i.node.name.clone()),
                    _ => None,
                };
                self.leaf(e, Does::Call(name));
            }
            Expression::Cast(c) => self.value(&c.node.expression),
            Expression::Conditional(c) => self.value(&c.node.condition),
            Expression::Comma(all) => all.iter().for_each(|e| self.value(e)),
            Expression::CompoundLiteral(c) => self.items(&c.node.initializer_list),
            Expression::UnaryOperator(u) => match u.node.operator.node {
                Unary::Address => self.place(&u.node.operand),
                Unary::Plus | Unary::Minus | Unary::Complement | Unary::Negate => self.value(&u.node.operand),
                Unary::Indirection => self.read(e),
                _ => {
                    self.place(&u.node.operand);
                    if let Some(name) = base(&u.node.operand.node) {
                        self.leaf(e, Does::Read(name));
                    }
                }
            },
            Expression::BinaryOperator(b) => self.binary(e, &b.node.operator.node, &b.node.lhs, &b.node.rhs),
            Expression::Identifier(_) | Expression::Member(_) => self.read(e),
            // Constants, sizes, and what has statements of its own.
            _ => {}
        }
    }

    fn binary(
        &mut self,
        e: &Node<Expression>,
        operator: &Binary,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
    ) {
        match operator {
            Binary::Index => self.read(e),
            // Only the first is always evaluated.
            Binary::LogicalAnd | Binary::LogicalOr => self.value(lhs),
            Binary::Assign => {
                self.place(lhs);
                self.value(rhs);
            }
            _ => match updates(operator) {
                None => {
                    self.value(lhs);
                    self.value(rhs);
                }
                Some(operator) => {
                    self.place(lhs);
                    self.value(rhs);
                    if let (Some(name), Expression::Identifier(_)) = (base(&lhs.node), &lhs.node) {
                        let (target, value) = (lhs.span.start..lhs.span.end, rhs.span.start..rhs.span.end);
                        self.leaf(e, Does::Update { name, target, operator: operator.into(), value });
                    }
                }
            },
        }
    }

    /// An object whose value is read.
    fn read(&mut self, e: &Node<Expression>) {
        self.place(e);
        self.leaf(e, Does::Read(base(&e.node).unwrap_or_default()));
    }

    /// An object whose place is found.
    fn place(&mut self, e: &Node<Expression>) {
        match &e.node {
            Expression::BinaryOperator(b) if b.node.operator.node == Binary::Index => {
                self.value_or_place(&b.node.lhs);
                self.value(&b.node.rhs);
            }
            Expression::Member(m) => match m.node.operator.node {
                MemberOperator::Direct => self.place(&m.node.expression),
                MemberOperator::Indirect => self.value(&m.node.expression),
            },
            Expression::UnaryOperator(u) if u.node.operator.node == Unary::Indirection => {
                self.value(&u.node.operand)
            }
            Expression::Identifier(_) => {}
            _ => self.value(e),
        }
    }

    /// What is subscripted: an array's place or a pointer's value.
    fn value_or_place(&mut self, e: &Node<Expression>) {
        match &e.node {
            Expression::BinaryOperator(b) if b.node.operator.node == Binary::Index => self.place(e),
            _ => self.value(e),
        }
    }
}

/// The objects that a declaration defines const: the last pointer is, or where there is none, the type.
fn constants(d: &Declaration, types: &BTreeSet<String>) -> Vec<String> {
    let is = |q: &TypeQualifier| *q == TypeQualifier::Const;
    let whole = d.specifiers.iter().any(|s| match &s.node {
        DeclarationSpecifier::TypeQualifier(q) => is(&q.node),
        DeclarationSpecifier::TypeSpecifier(t) => {
            matches!(&t.node, TypeSpecifier::TypedefName(n) if types.contains(&n.node.name))
        }
        _ => false,
    });
    let constant = |d: &Declarator| {
        let pointer = d.derived.iter().rev().find_map(|x| match &x.node {
            DerivedDeclarator::Pointer(all) => Some(all),
            _ => None,
        });
        pointer.map_or(whole, |all| {
            all.iter().any(|q| matches!(&q.node, PointerQualifier::TypeQualifier(q) if is(&q.node)))
        })
    };
    let of = |d: &Declarator| match &d.kind.node {
        DeclaratorKind::Identifier(name) if constant(d) => Some(name.node.name.clone()),
        _ => None,
    };
    d.declarators.iter().filter_map(|d| of(&d.node.declarator.node)).collect()
}

/// The object that an expression is a part of.
fn base(e: &Expression) -> Option<String> {
    match e {
        Expression::Identifier(i) => Some(i.node.name.clone()),
        Expression::Member(m) if m.node.operator.node == MemberOperator::Direct => {
            base(&m.node.expression.node)
        }
        Expression::BinaryOperator(b) if b.node.operator.node == Binary::Index => base(&b.node.lhs.node),
        _ => None,
    }
}

/// The operator of an assignment that reads its target.
fn updates(operator: &Binary) -> Option<&'static str> {
    Some(match operator {
        Binary::AssignMultiply => "*",
        Binary::AssignDivide => "/",
        Binary::AssignModulo => "%",
        Binary::AssignPlus => "+",
        Binary::AssignMinus => "-",
        Binary::AssignShiftLeft => "<<",
        Binary::AssignShiftRight => ">>",
        Binary::AssignBitwiseAnd => "&",
        Binary::AssignBitwiseXor => "^",
        Binary::AssignBitwiseOr => "|",
        _ => return None,
    })
}
