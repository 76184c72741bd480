"""Statements and expressions of one thread as edges; calls are copied in."""
from front import (BINARY, binary_kind, bounds, constant, convert, Edge, IDEAL, INT, K, Kind, kind_of, known, Refused, SIGNED, strip, truth, UNARY,
                   unary_kind, UNSIGNED)
from terms import add, conj, div, eq, FALSE, ite, le, lt, mod, mul, neg, num, sub, TRUE
from shapes import Alias, bare, effects, is_implicit, object_of, promoted, usual, within

DEPTH = 30


class Scope:
    """A call that was copied in: lines of the calls around it, its locals, where it returns to."""

    def __init__(self, function, calls, result, leave):
        self.function, self.calls, self.result, self.leave = function, calls, result, leave
        self.locals, self.gotos, self.depths, self.aliases = {}, {}, set(), {}


class Lower:
    """Makes the graph of a thread."""

    def __init__(self, program, thread):
        self.p, self.t = program, thread
        self.depth, self.scope, self.breaks, self.continues, self.statement = 0, None, [], [], 0
        self.names, self.switches = {}, []
        self.self_term = num(thread.number + 1)
        f = program.functions.get(thread.function)
        if f is None:
            raise Refused(None, f"the start routine `{thread.function}` is not defined here")
        thread.entry, self.cur = self.node(), None
        thread.end = self.node()
        self.cur = thread.entry
        if thread.many:
            self.self_term = self.local("self", IDEAL)
        argument = None
        params = list(f.get_arguments())
        if params and thread.function != "main":
            argument = (params[0], known(f"arg:{thread.name}", IDEAL))
        self.call_body(f, [argument] if argument else [], (), f)
        self.edge(thread.end, blocks=False)
        self.cur = None

    # Nodes and edges.
    def node(self):
        self.t.nodes += 1
        n = self.t.nodes - 1
        if self.depth:
            self.t.atomic.add(n)
        return n

    def edge(self, dst=None, guard=TRUE, updates=None, reads=(), writes=(), does=None, blocks=False):
        """An edge from here to a node, a new one by default; goes on there."""
        if self.cur is None:
            self.cur = self.node()  # Cannot be reached.
        dst = self.node() if dst is None else dst
        key = (self.scope.calls, self.line, does) if does else None
        e = Edge(self.cur, dst, guard, updates, reads, writes, key, blocks)
        self.t.edges.append(e)
        self.cur = dst
        return e

    def local(self, name, kind):
        """A local of this thread that only the checker's name tells apart."""
        full = f"{self.t.name}::{name}"
        count = self.names.get(full, 0)
        self.names[full] = count + 1
        full = full if not count else f"{full}#{count + 1}"
        self.t.locals[full] = kind
        return known(full, kind)

    def at(self, cursor):
        if not isinstance(cursor, Alias):
            self.line = cursor.location.line

    # Objects.
    def place(self, c):
        """The cells that an lvalue may be: a list of (condition, name), its kind, whether they are shared."""
        c = bare(c)
        cells = self.path(c)
        # A pointer that a thread was given: some number.
        given = strip(c.type).kind.name == "POINTER" and all(n in self.t.locals for _, n in cells)
        return cells, IDEAL if given else kind_of(c.type, c)

    def path(self, c):
        c = bare(c)
        if isinstance(c, Alias):
            return c.cells
        if c.kind == K.DECL_REF_EXPR and c.referenced is not None and c.referenced.kind in (K.VAR_DECL, K.PARM_DECL):
            return [(TRUE, self.variable(c))]
        if c.kind == K.MEMBER_REF_EXPR:
            children = list(c.get_children())
            if not children or strip(children[0].type).kind.name == "POINTER":
                if children and self.pointee(children[0]) is not None:
                    return [(g, f"{n}.{c.spelling}") for g, n in self.path(self.pointee(children[0]))]
                raise Refused(c, "access through a pointer")
            return [(g, f"{n}.{c.spelling}") for g, n in self.path(children[0])]
        if c.kind == K.ARRAY_SUBSCRIPT_EXPR:
            base, index = list(c.get_children())
            array = bare(base)
            s = strip(array.type)
            if s.kind.name != "CONSTANTARRAY":
                raise Refused(c, "access through a pointer")
            inner = self.path(array)
            i = self.value(index)
            if i.op == "n":
                if not 0 <= i.args[0] < s.element_count:
                    raise Refused(c, "this index is outside of the array")
                return [(g, f"{n}[{i.args[0]}]") for g, n in inner]
            self.edge(guard=conj(le(num(0), i), lt(i, num(s.element_count))), blocks=True)  # Else undefined.
            return [(conj(g, eq(i, num(k))), f"{n}[{k}]") for g, n in inner for k in range(s.element_count)]
        if c.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(c)) == "*":
            target = self.pointee(list(c.get_children())[0])
            if target is not None:
                return self.path(target)
        raise Refused(c, "this object is not covered (a pointer?)")

    def pointee(self, c):
        """The lvalue whose address an expression is: `&x`."""
        c = bare(c)
        if c.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(c)) == "&":
            return list(c.get_children())[0]
        if c.kind == K.DECL_REF_EXPR and c.referenced is not None and self.scope:
            return self.scope.aliases.get(c.referenced.hash)
        return None

    def variable(self, c):
        d = c.referenced
        if self.scope and d.hash in self.scope.locals:
            return self.scope.locals[d.hash]
        if d.spelling in self.p.shapes and d.semantic_parent is not None and d.semantic_parent.kind == K.TRANSLATION_UNIT:
            return d.spelling
        if f"static:{d.hash}" in self.p.shapes:
            return f"static:{d.hash}"
        raise Refused(c, f"`{d.spelling}` is not known here")

    def is_shared(self, name):
        return name in self.p.globals

    def cell(self, name, c):
        kind = self.p.globals.get(name) or self.t.locals.get(name)
        if kind is None:
            raise Refused(c, f"`{c.spelling}` is no scalar")
        return known(name, kind)

    def load(self, c):
        """The value of an lvalue: one access."""
        return self.load_cells(c, *self.place(c))

    def load_cells(self, c, cells, kind):
        shared = [n for _, n in cells if self.is_shared(n)]
        return self.kept_cells(c, cells, kind, shared, c) if shared else self.one_of(c, cells)

    def one_of(self, c, cells):
        x = self.cell(cells[-1][1], c)
        for g, n in reversed(cells[:-1]):
            x = ite(g, self.cell(n, c), x)
        return x

    def kept_cells(self, c, cells, kind, shared, at):
        """What the object is now, as a value that stays when the object changes."""
        self.at(at)
        t = self.local(f"%{self.line}:{object_of(shared)}" if shared else "%old", kind)
        self.edge(updates={t.args[0]: self.one_of(c, cells)}, reads=shared, does=("read", object_of(shared)) if shared else None)
        return t

    def store(self, c, x, cells=None):
        """`x` was converted to the kind of the object."""
        cells = cells or self.place(c)[0]
        self.at(c)
        updates = {n: ite(g, x, self.cell(n, c)) for g, n in cells}
        shared = [n for _, n in cells if self.is_shared(n)]
        if shared:
            self.edge(updates=updates, writes=shared, does=("write", object_of(shared)))
        else:
            self.edge(updates=updates)

    # Expressions.
    def value(self, c):
        """The value of an expression, converted to its type; its steps are done from here."""
        k = constant(c)
        if k is not None:
            return num(k)
        children = list(c.get_children())
        if c.kind == K.PAREN_EXPR:
            return self.value(children[0])
        if c.kind.name == "StmtExpr" or c.kind == K.StmtExpr:
            return self.statement_expression(children[0])
        if c.kind == K.CSTYLE_CAST_EXPR or is_implicit(c, children):
            return self.cast(c, children)
        if c.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR):
            if strip(c.type).kind.name in ("CONSTANTARRAY", "RECORD"):
                raise Refused(c, "objects as a whole are not covered")
            return self.load(c)
        if c.kind == K.UNARY_OPERATOR:
            return self.unary(c, children[0])
        if c.kind == K.BINARY_OPERATOR:
            return self.binary(c, *children)
        if c.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            return self.compound(c, *children)
        if c.kind == K.CONDITIONAL_OPERATOR:
            return self.choice(c, children)
        if c.kind == K.CALL_EXPR:
            return self.call(c, children)
        raise Refused(c, f"this expression is not covered ({c.kind.name})")

    def cast(self, c, children):
        inner = children[-1]
        to, of = strip(c.type).kind.name, strip(inner.type).kind.name
        if to == "VOID":
            self.discard(inner)
            return num(0)
        if to == "POINTER":
            k = constant(inner)
            if k is not None:
                return num(k)
            if of in SIGNED or of in UNSIGNED or of == "POINTER":
                return self.value(inner)
            raise Refused(c, "pointers are not covered here")
        if of not in SIGNED and of not in UNSIGNED and of not in ("ENUM", "POINTER"):
            raise Refused(c, f"a conversion from `{inner.type.spelling}` is not covered")
        x = self.value(inner)
        if of == "POINTER" and bounds(x)[0] is None and kind_of(c.type, c).bits < 64:
            raise Refused(c, "this conversion of a pointer is not covered")
        return convert(x, kind_of(c.type, c)) if not self.ideal() else x

    def ideal(self):
        return self.p.options["integers"] == "ideal"

    def discard(self, c):
        """An expression whose value nobody needs."""
        c2 = bare(c)
        if c2.kind == K.CXX_UNARY_EXPR or c2.kind == K.DECL_REF_EXPR or c2.kind == K.STRING_LITERAL:
            return
        if c2.kind in (K.UNARY_OPERATOR, K.BINARY_OPERATOR) and c2.type.kind.name == "VOID":
            children = list(c2.get_children())
            for child in children:
                self.discard(child)
            return
        if c2.kind == K.CSTYLE_CAST_EXPR or is_implicit(c2, list(c2.get_children())):
            self.discard(list(c2.get_children())[-1])
            return
        self.value(c2)

    def arithmetic(self, c, op, x, y, kind):
        """An operator on values of its own type; overflow of signed types as the options say."""
        if op in "+-*":
            raw = {"+": add, "-": sub, "*": mul}[op](x, y)
            if op == "*" and x.op != "n" and y.op != "n":
                raise Refused(c, "products of two variables are not covered")
        elif op in "/%" or op == "<<" or op == ">>" or (op == "&" and y.op == "n"):
            if y.op != "n" or y.args[0] <= 0 and op != "&" or op in ("<<", ">>") and y.args[0] >= kind.bits:
                raise Refused(c, "division and shifts by anything but a positive number are not covered")
            k = y.args[0] if op in "/%&" else 1 << y.args[0]
            if op == "<<":
                raw = mul(x, num(k))
            elif op == ">>":
                raw = div(x, k)
            elif op == "&":
                if k < 0 or k & (k + 1) != 0:
                    raise Refused(c, "`&` is covered with numbers 2^n - 1 only")
                raw = mod(x, k + 1)
            elif kind.signed:
                q = ite(le(num(0), x), div(x, k), sub(num(0), div(sub(num(0), x), k)))
                raw = q if op == "/" else sub(x, mul(q, num(k)))
            else:
                raw = div(x, k) if op == "/" else mod(x, k)
        else:
            raise Refused(c, f"the operator `{op}` is not covered")
        return self.fit(c, raw, kind)

    def fit(self, c, raw, kind):
        if self.ideal() or kind.ideal:
            return raw
        low, high = bounds(raw)
        if kind.signed and self.p.options["signed"] != "wrap" and not (low is not None and low >= kind.low and high <= kind.high):
            # It is assumed (option `signed: assume`) that this does not overflow.
            t = self.local("%result", kind)
            self.edge(guard=conj(le(num(kind.low), raw), le(raw, num(kind.high))), updates={t.args[0]: raw}, blocks=True)
            return t
        return convert(raw, kind)

    def unary(self, c, inner):
        op = UNARY.get(unary_kind(c))
        if op in ("x++", "x--", "++x", "--x"):
            cells, kind = self.place(inner)
            return self.modify(c, inner, cells, kind, lambda x: self.step(c, x, op, kind), op[0] == "x")
        if op in ("+", "ext"):
            return self.value(inner)
        if op == "-":
            return self.arithmetic(c, "-", num(0), self.value(inner), kind_of(c.type, c))
        if op == "!":
            return truth(eq(self.value(inner), num(0)))
        if op == "~":
            return self.fit(c, sub(sub(num(0), self.value(inner)), num(1)), kind_of(c.type, c))
        if op == "*":
            return self.load(c)
        raise Refused(c, f"the operator `{op}` is not covered here")

    def step(self, c, x, op, kind):
        return self.assigned(c, "+" if "+" in op else "-", x, num(1), kind, INT)

    def assigned(self, c, op, x, y, kind, other):
        """`x op= y`: the arithmetic is done in the common type."""
        common = usual(kind, other) if op not in ("<<", ">>") else promoted(kind)
        if self.ideal():
            return self.arithmetic(c, op, x, y, common)
        return convert(self.arithmetic(c, op, convert(x, common), convert(y, common) if op not in ("<<", ">>") else y, common), kind)

    def modify(self, c, target, cells, kind, change, old):
        """Reads, changes and writes an object: two accesses, or one where the object is atomic."""
        atomic = target.type.get_canonical().kind.name == "ATOMIC"
        if atomic:
            self.begin()
        t = self.kept_cells(target, cells, kind, [n for _, n in cells if self.is_shared(n)], c)
        new = change(t)
        self.at(c)
        self.store(target, new, cells)
        if atomic:
            self.leave()
        return t if old else new

    def compound(self, c, target, right):
        op = BINARY[binary_kind(c)][:-1]
        cells, kind = self.place(target)
        atomic = target.type.get_canonical().kind.name == "ATOMIC"
        early = self.value(right) if atomic else None
        return self.modify(c, target, cells, kind,
                           lambda x: self.assigned(c, op, x, early if atomic else self.value(right), kind, kind_of(right.type, right)), False)

    def binary(self, c, left, right):
        op = BINARY.get(binary_kind(c))
        if op == ",":
            self.discard(left)
            return self.value(right)
        if op == "=":
            if strip(c.type).kind.name in ("RECORD", "POINTER"):
                raise Refused(c, "assignments of this type are not covered")
            cells, kind = self.place(left)
            x = self.value(right)
            self.store(left, x, cells)
            return x
        if op in ("&&", "||"):
            return self.branch_value(c)
        x = self.keep(self.value(left), right)
        y = self.value(right)
        if op in ("==", "!=", "<", "<=", ">", ">="):
            if op in ("<", "<=", ">", ">=") and strip(left.type).kind.name == "POINTER":
                raise Refused(c, "pointers cannot be compared here")
            return truth({"==": eq(x, y), "!=": neg(eq(x, y)), "<": lt(x, y), "<=": le(x, y), ">": lt(y, x), ">=": le(y, x)}[op])
        return self.arithmetic(c, op, x, y, kind_of(c.type, c))

    def keep(self, x, later):
        """A value that must not change while another operand is worked out."""
        if x.op == "n" or not effects(later):
            return x
        t = self.local("%kept", Kind(64, True, ideal=True))
        self.edge(updates={t.args[0]: x})
        lo, hi = bounds(x)
        if lo is not None:
            self.t.locals[t.args[0]] = span = Kind(64, True)
            span.low, span.high = lo, hi
            return known(t.args[0], span)
        return t

    def branch_value(self, c):
        """`&&`, `||` and `!` as a value: 0 or 1."""
        yes, no, done = self.node(), self.node(), self.node()
        t = self.local("%truth", Kind(8, False, boolean=True))
        self.condition(c, yes, no)
        for n, v in ((yes, 1), (no, 0)):
            self.cur = n
            self.edge(done, updates={t.args[0]: num(v)})
        return t

    def condition(self, c, yes, no):
        """Goes to `yes` or `no`."""
        depth = self.depth
        self.decide(c, yes, no)
        if self.depth != depth:
            raise Refused(c, "an atomic section that begins or ends in a condition is not covered")

    def decide(self, c, yes, no):
        b = c
        while b.kind == K.PAREN_EXPR:
            b = list(b.get_children())[0]
        children = list(b.get_children())
        op = BINARY.get(binary_kind(b)) if b.kind == K.BINARY_OPERATOR else None
        if op in ("&&", "||"):
            middle = self.node()
            self.condition(children[0], *((middle, no) if op == "&&" else (yes, middle)))
            self.cur = middle
            self.condition(children[1], yes, no)
            return
        if b.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(b)) == "!":
            self.condition(children[0], no, yes)
            return
        if b.kind == K.UNEXPOSED_EXPR and len(children) == 1 and strip(b.type).kind.name in ("INT", "LONG") and \
                strip(children[0].type).kind.name in ("INT", "BOOL") and children[0].kind == K.PAREN_EXPR:
            self.condition(children[0], yes, no)
            return
        zero = eq(self.value(b), num(0))
        here = self.cur
        for guard, to in ((neg(zero), yes), (zero, no)):
            self.cur = here
            if guard is not FALSE:
                self.edge(to, guard=guard)
        self.cur = None

    def choice(self, c, children):
        yes, no, done = self.node(), self.node(), self.node()
        void = strip(c.type).kind.name == "VOID"
        t = None if void else self.local("%choice", kind_of(c.type, c))
        self.condition(children[0], yes, no)
        depth = self.depth
        for n, part in ((yes, children[1]), (no, children[2])):
            self.cur = n
            if void:
                self.discard(part)
                self.edge(done)
            else:
                self.edge(done, updates={t.args[0]: self.value(part)})
            if self.depth != depth:
                raise Refused(part, "an atomic section that begins or ends in a part of an expression is not covered")
        return t or num(0)

    def statement_expression(self, block):
        parts = list(block.get_children())
        for s in parts[:-1]:
            self.run(s)
        if parts and parts[-1].kind.is_expression() and parts[-1].type.kind.name != "VOID":
            return self.value(parts[-1])
        if parts:
            self.run(parts[-1])
        return num(0)

    # Atomic sections.
    def begin(self):
        if not self.depth:
            outside = self.cur
            self.depth = 1
            self.edge()
            return outside
        self.depth += 1
        return None

    def leave(self):
        self.depth -= 1
        if not self.depth:
            self.edge()

    # Calls.
    def call(self, c, children):
        name = c.spelling
        callee = bare(children[0])
        if callee.kind != K.DECL_REF_EXPR or callee.referenced is None or callee.referenced.kind != K.FUNCTION_DECL:
            raise Refused(c, "calls through pointers are not covered")
        name = callee.referenced.spelling
        args = children[1:]
        self.at(c)
        from library import library
        if name in self.p.functions and not name.startswith("__VERIFIER_nondet"):
            f = self.p.functions[name]
            values = []
            for k, (param, a) in enumerate(zip(f.get_arguments(), args)):
                pointed = self.pointee(a)
                if pointed is not None and strip(param.type).kind.name == "POINTER":
                    # The parameter is another name of the object; who assigns to it is refused.
                    cells = self.path(pointed)
                    if len(cells) != 1:
                        raise Refused(a, "the address of an element whose index varies is not covered")
                    values.append((param, Alias(pointed, cells)))
                    continue
                x = self.value(a)
                rest = args[k + 1:]
                values.append((param, self.keep(x, rest[0]) if rest and any(effects(r) for r in rest) else x))
            if len(args) != len(list(f.get_arguments())):
                raise Refused(c, "the number of arguments differs")
            atomic = name.startswith("__VERIFIER_atomic_")
            if atomic:
                self.begin()
            self.at(c)
            out = self.call_body(f, values, (self.scope.calls if self.scope else ()) + ((c.location.line,) if self.scope else ()), c)
            if atomic:
                self.leave()
            return out
        return library(self, c, name, args)

    def call_body(self, f, values, calls, c):
        if len(calls) > DEPTH:
            raise Refused(c, "recursion is not covered")
        saved = (self.scope, self.breaks, self.continues, self.switches)
        void = strip(f.result_type).kind.name in ("VOID", "POINTER")
        self.scope = Scope(f, calls, None, None)
        self.line = c.location.line
        result = None if void else self.local(f"{f.spelling}%result", kind_of(f.result_type, f))
        self.scope.result, self.scope.leave = result, self.node()
        self.breaks, self.continues, self.switches = [], [], []
        for param, x in values:
            if isinstance(x, Alias):
                self.scope.aliases[param.hash] = x
                continue
            s = strip(param.type)
            kind = IDEAL if s.kind.name == "POINTER" else kind_of(param.type, param)
            v = self.local(param.spelling or "%unnamed", kind)
            self.t.named.setdefault((calls, param.spelling), []).append(v.args[0])
            self.scope.locals[param.hash] = v.args[0]
            self.edge(updates={v.args[0]: x if self.ideal() else convert(x, kind)})
        for child in f.get_children():
            if child.kind == K.COMPOUND_STMT:
                self.run(child)
        if self.cur is not None:
            if result is not None and f.spelling != "main":
                self.havoc(result, kind_of(f.result_type, f))
            self.scope.depths.add(self.depth)
            self.edge(self.scope.leave)
        if len(self.scope.depths) > 1:
            raise Refused(f, "an atomic section that only some returns of a function leave is not covered")
        self.depth = min(self.scope.depths, default=self.depth)
        for label, (node, place) in self.scope.gotos.items():
            if place is not None:
                raise Refused(place, f"there is no label `{label}`")
        self.cur = self.scope.leave
        if not self.depth:
            self.t.atomic.discard(self.scope.leave)  # The function has ended a section.
        self.scope, self.breaks, self.continues, self.switches = saved
        return result or num(0)

    def havoc(self, target, kind, does=None):
        x = known(self.p.fresh(), kind)
        self.edge(guard=within(x, kind), updates={target.args[0]: x}, does=does)

    def nondet(self, kind):
        t = self.local("%input", kind)
        self.havoc(t, kind, does=("input", ""))
        return t

    def run(self, s):
        from statements import run

        run(self, s)
