"""Terms of integer arithmetic: made once each, simplified a little, written as SMT-LIB text.

A term is immutable; two equal terms are the same object. Truth values and integers are kept apart.
"""


class Term:
    """An operator and its arguments; `n` has a number, `v` a name."""

    __slots__ = ("op", "args", "text", "names")

    def __init__(self, op, args):
        self.op, self.args, self.text, self.names = op, args, None, None

    def __repr__(self):
        return smt(self)


TABLE = {}


def make(op, *args):
    key = (op, *[id(a) if isinstance(a, Term) else a for a in args])
    t = TABLE.get(key)
    if t is None:
        t = TABLE[key] = Term(op, args)
    return t


TRUE, FALSE = make("true"), make("false")


def num(k):
    return make("n", int(k))


def var(name):
    if "|" in name or "\\" in name:
        raise ValueError(f"{name} is no name")
    return make("v", name)


def add(a, b):
    if a.op == "n" and b.op == "n":
        return num(a.args[0] + b.args[0])
    if a.op == "n" and a.args[0] == 0:
        return b
    if b.op == "n" and b.args[0] == 0:
        return a
    return make("+", a, b)


def sub(a, b):
    if a.op == "n" and b.op == "n":
        return num(a.args[0] - b.args[0])
    if b.op == "n" and b.args[0] == 0:
        return a
    return make("-", a, b)


def mul(a, b):
    if a.op == "n" and b.op == "n":
        return num(a.args[0] * b.args[0])
    for x, y in ((a, b), (b, a)):
        if x.op == "n" and x.args[0] == 1:
            return y
        if x.op == "n" and x.args[0] == 0:
            return x
    return make("*", a, b)


def div(a, k):
    """Rounded down; `k` is positive."""
    return num(a.args[0] // k) if a.op == "n" else make("div", a, num(k))


def mod(a, k):
    """From 0 to k - 1; `k` is positive."""
    return num(a.args[0] % k) if a.op == "n" else make("mod", a, num(k))


def conj(*parts):
    out = []
    for p in parts:
        for q in p.args if p.op == "and" else (p,):
            if q is FALSE:
                return FALSE
            if q is not TRUE and q not in out:
                out.append(q)
    if any(q.op == "not" and q.args[0] in out for q in out):
        return FALSE
    return TRUE if not out else out[0] if len(out) == 1 else make("and", *out)


def disj(*parts):
    out, seen = [], set()
    for p in parts:
        for q in p.args if p.op == "or" else (p,):
            if q is TRUE:
                return TRUE
            if q is not FALSE and q not in seen:
                seen.add(q)
                out.append(q)
    return FALSE if not out else out[0] if len(out) == 1 else make("or", *out)


def neg(a):
    if a is TRUE or a is FALSE:
        return FALSE if a is TRUE else TRUE
    return a.args[0] if a.op == "not" else make("not", a)


def compare(op, a, b):
    """`op` is one of = <= <."""
    if a.op == "n" and b.op == "n":
        x, y = a.args[0], b.args[0]
        return TRUE if {"=": x == y, "<=": x <= y, "<": x < y}[op] else FALSE
    if a is b:
        return FALSE if op == "<" else TRUE
    # A truth value that is compared with a number.
    if b.op == "n" and a.op == "ite" and a.args[1].op == "n" and a.args[2].op == "n":
        return ite(a.args[0], compare(op, a.args[1], b), compare(op, a.args[2], b))
    return make(op, a, b)


def eq(a, b):
    return compare("=", a, b)


def le(a, b):
    return compare("<=", a, b)


def lt(a, b):
    return compare("<", a, b)


def ite(c, a, b):
    if c is TRUE or a is b:
        return a
    if c is FALSE:
        return b
    if a is TRUE and b is FALSE:
        return c
    if a is FALSE and b is TRUE:
        return neg(c)
    if a in (TRUE, FALSE) or b in (TRUE, FALSE) or a.op in BOOLEAN:
        return disj(conj(c, a), conj(neg(c), b))
    return make("ite", c, a, b)


BOOLEAN = {"and", "or", "not", "=", "<=", "<", "true", "false"}
BUILD = {
    "+": add, "-": sub, "*": mul, "and": conj, "or": disj, "not": neg, "=": eq, "<=": le, "<": lt, "ite": ite,
    "div": lambda a, k: div(a, k.args[0]), "mod": lambda a, k: mod(a, k.args[0]),
}


def variables(t):
    """The names in a term."""
    if t.names is None:
        if t.op == "v":
            t.names = frozenset(t.args)
        elif t.op == "n":
            t.names = frozenset()
        else:
            t.names = frozenset().union(*[variables(a) for a in t.args])
    return t.names


def subst(t, to, memo=None):
    """All at once: each name that `to` has becomes its term."""
    memo = {} if memo is None else memo
    if t in memo:
        return memo[t]
    if t.op == "v":
        out = to.get(t.args[0], t)
    elif not any(n in to for n in variables(t)):
        out = t
    else:
        out = BUILD[t.op](*[subst(a, to, memo) for a in t.args])
    memo[t] = out
    return out


def value(t, model, memo):
    """The value of a term where names have the values of `model`, 0 where it has none."""
    if t in memo:
        return memo[t]
    if t.op == "n":
        return t.args[0]
    if t.op == "v":
        return model.get(t.args[0], 0)
    if t.op == "ite":
        out = value(t.args[1] if value(t.args[0], model, memo) else t.args[2], model, memo)
    elif t.op == "and":
        out = all(value(a, model, memo) for a in t.args)
    elif t.op == "or":
        out = any(value(a, model, memo) for a in t.args)
    else:
        x = [value(a, model, memo) for a in t.args]
        out = {
            "true": lambda: True, "false": lambda: False, "not": lambda: not x[0], "+": lambda: x[0] + x[1],
            "-": lambda: x[0] - x[1], "*": lambda: x[0] * x[1], "div": lambda: x[0] // x[1],
            "mod": lambda: x[0] % x[1], "=": lambda: x[0] == x[1], "<=": lambda: x[0] <= x[1],
            "<": lambda: x[0] < x[1],
        }[t.op]()
    memo[t] = out
    return out


def smt(t):
    """As SMT-LIB."""
    if t.text is None:
        if t.op == "n":
            t.text = str(t.args[0]) if t.args[0] >= 0 else f"(- {-t.args[0]})"
        elif t.op == "v":
            t.text = "|" + t.args[0] + "|"
        elif not t.args:
            t.text = t.op
        else:
            t.text = "(" + t.op + " " + " ".join(smt(a) for a in t.args) + ")"
    return t.text
