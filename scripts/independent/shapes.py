"""Small questions about expressions and types."""
from front import BINARY, binary_kind, IDEAL, INT, K, strip, UNARY, unary_kind
from terms import conj, make, num, TRUE


class Alias:
    """What a parameter points to, where the argument was an object's address."""

    def __init__(self, cursor, cells):
        self.type, self.location, self.spelling, self.cells, self.kind = cursor.type, cursor.location, cursor.spelling, cells, None

    def get_children(self):
        return []


def within(x, kind):
    if kind.ideal:
        return TRUE
    low, high = (0, 1) if kind.boolean else (kind.low, kind.high)
    # Not simplified: this is where the bounds come from.
    return conj(make("<=", num(low), x), make("<=", x, num(high)))


def object_of(names):
    return names[0] if len(names) == 1 else names[0].split("[")[0] + "[]"


def bare(c):
    """An expression without parentheses, and without conversions that change no value."""
    while True:
        children = list(c.get_children())
        if c.kind == K.PAREN_EXPR:
            c = children[0]
        elif children and (c.kind == K.CSTYLE_CAST_EXPR or is_implicit(c, children)):
            a, b = strip(c.type), strip(children[-1].type)
            same = a.kind == b.kind and a.kind.name != "POINTER" and c.kind == K.UNEXPOSED_EXPR
            decay = a.kind.name == "POINTER" and b.kind.name in ("CONSTANTARRAY", "FUNCTIONPROTO", "FUNCTIONNOPROTO", "POINTER", "UNEXPOSED")
            if not same and not decay:
                return c
            c = children[-1]
        elif c.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(c)) == "ext":
            c = children[0]
        else:
            return c


def core(c):
    """An expression without parentheses and conversions of any kind."""
    while c.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR) and (children := list(c.get_children())):
        c = children[-1]
    return c


def is_implicit(c, children):
    """An implicit conversion; other expressions that libclang has no name for are of the same kind, but longer than their part."""
    return c.kind == K.UNEXPOSED_EXPR and len(children) == 1 and c.extent == children[0].extent


def effects(c):
    """May working out the expression change anything?"""
    if c.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR) or c.kind.name == "StmtExpr":
        return True
    if c.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(c)) in ("x++", "x--", "++x", "--x"):
        return True
    if c.kind == K.BINARY_OPERATOR and BINARY.get(binary_kind(c)) == "=":
        return True
    return any(effects(k) for k in c.get_children())


def promoted(kind):
    return kind if kind.ideal or kind.bits >= 32 else INT


def usual(a, b):
    """The common type of two operands."""
    a, b = promoted(a), promoted(b)
    if a.ideal or b.ideal:
        return IDEAL
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b
