"""From C, as libclang parses it, to a graph for each thread: an edge is at most one access to shared memory.

What is not understood is refused, with its place. Nothing is left out silently.
"""
import ctypes

import clang.cindex as ci

from terms import add, eq, ite, lt, mod, num, sub, TRUE, var

K = ci.CursorKind
LIB = ci.conf.lib


def bind(name, args, result):
    f = getattr(LIB, name)
    f.argtypes, f.restype = args, result
    return f


binary_kind = bind("clang_getCursorBinaryOperatorKind", [ci.Cursor], ctypes.c_int)
unary_kind = bind("clang_getCursorUnaryOperatorKind", [ci.Cursor], ctypes.c_int)
evaluate = bind("clang_Cursor_Evaluate", [ci.Cursor], ctypes.c_void_p)
evaluated_kind = bind("clang_EvalResult_getKind", [ctypes.c_void_p], ctypes.c_int)
evaluated = bind("clang_EvalResult_getAsLongLong", [ctypes.c_void_p], ctypes.c_longlong)
BINARY = dict(enumerate("* / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>= &= ^= |= ,".split(), 3))
UNARY = dict(enumerate("x++ x-- ++x --x & * + - ~ ! real imag ext".split(), 1))
SIGNED = {"SCHAR": 8, "CHAR_S": 8, "SHORT": 16, "INT": 32, "LONG": 64, "LONGLONG": 64}
UNSIGNED = {"BOOL": 1, "UCHAR": 8, "USHORT": 16, "UINT": 32, "ULONG": 64, "ULONGLONG": 64}
MUTEX = {"pthread_mutex_t", "pthread_spinlock_t"}
CONDITION = {"pthread_cond_t", "pthread_attr_t", "pthread_mutexattr_t"}
NOTHING = {"pthread_mutex_destroy", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_init", "pthread_cond_destroy",
           "pthread_detach", "pthread_attr_init", "pthread_attr_destroy", "printf", "puts", "fprintf", "sched_yield", "usleep", "sleep",
           "__sync_synchronize", "pthread_yield", "pthread_spin_destroy"}
INPUTS = {"int": "INT", "uint": "UINT", "unsigned": "UINT", "bool": "BOOL", "_Bool": "BOOL", "char": "CHAR_S", "uchar": "UCHAR", "short": "SHORT",
          "ushort": "USHORT", "long": "LONG", "ulong": "ULONG", "longlong": "LONGLONG", "ulonglong": "ULONGLONG"}


class Refused(Exception):
    """What this checker does not cover."""

    def __init__(self, cursor, why):
        at = f"{cursor.location.file}:{cursor.location.line}:{cursor.location.column}: " if cursor else ""
        super().__init__(f"{at}{why}")


class Kind:
    """An integer type: its bits and whether it has a sign. `ideal` ones (handles, mutexes) have no bounds."""

    def __init__(self, bits, signed, ideal=False, boolean=False):
        self.bits, self.signed, self.ideal, self.boolean = bits, signed, ideal, boolean
        self.low = None if ideal else -(1 << (bits - 1)) if signed else 0
        self.high = None if ideal else (1 << (bits - 1 if signed else bits)) - 1


IDEAL, INT = Kind(64, False, ideal=True), Kind(32, True)


class Edge:
    """A step: from `src` to `dst` where `guard` holds, with `updates` at once. `reads` and `writes` are shared variables."""

    def __init__(self, src, dst, guard=TRUE, updates=None, reads=(), writes=(), key=None, blocks=False):
        self.src, self.dst, self.guard, self.updates = src, dst, guard, updates or {}
        self.reads, self.writes, self.key, self.blocks = set(reads), set(writes), key, blocks


class Thread:
    """A start routine that one place creates: once, or any number of times."""

    def __init__(self, name, function, number):
        self.name, self.function, self.number, self.many = name, function, number, False
        self.edges, self.nodes, self.atomic = [], 1, set()  # Node 0: not created yet.
        self.errors, self.labels, self.named, self.locals = {}, {}, {}, {}
        self.entry = self.end = None
        self.site = None  # The thread and edge that create it.


class Program:
    """Globals (with their kinds and start values) and threads."""

    def __init__(self, unit, options, order):
        BOUNDS.clear()
        self.options, self.globals, self.start, self.threads, self.functions = options, {}, {}, [], {}
        self.shapes, self.inputs, self.order = {}, 0, order
        for c in unit.cursor.get_children():
            if c.kind == K.FUNCTION_DECL and c.is_definition():
                self.functions[c.spelling] = c
        for c in unit.cursor.get_children():
            if c.kind == K.VAR_DECL and (self.user(c)):
                self.declare_global(c)

    def user(self, c):
        return c.location.file is not None and not c.location.is_in_system_header

    def declare_global(self, c, name=None):
        name = name or c.spelling
        cells = cells_of(c.type, name, c)
        extern = c.storage_class == ci.StorageClass.EXTERN
        if c.tls_kind != ci.TLSKind.NONE:
            raise Refused(c, "objects of each thread are not covered")
        init = initializer(c)
        if name in self.shapes and init is None:
            return
        self.shapes[name] = c.type
        values = {}
        if init is not None and is_lock(c.type):
            plain_lock(c.type, init)
        elif init is not None:
            constant_cells(c.type, name, init, values)
        for cell, kind in cells:
            self.globals[cell] = kind
            if extern and init is None:
                self.start.setdefault(cell, None)
            else:
                self.start[cell] = values.get(cell, 0)

    def lower(self):
        """The graphs of all threads that there can be."""
        from graph import on_cycle
        from lower import Lower

        self.created("main", None, None)
        for t in self.threads:  # Grows meanwhile.
            if t.name != "main":
                by, edge = t.site
                t.many = by.many or on_cycle(by, edge)
            Lower(self, t)

    def created(self, function, by, cursor):
        """A thread for a place that creates one."""
        if len(self.threads) > 40:
            raise Refused(cursor, "more than 40 places that create threads are not covered")
        count = sum(t.function == function for t in self.threads)
        name = function if not count else f"{function}#{count + 1}"
        number = self.order.get(name, len(self.order) + len(self.threads))
        t = Thread(name, function, number)
        t.handle = var(f"handle:{name}")
        self.threads.append(t)
        return t

    def fresh(self):
        self.inputs += 1
        return f"in{self.inputs}"


def strip(t):
    """The type without names and qualifiers."""
    t = t.get_canonical()
    if t.kind.name == "ATOMIC":
        return strip(LIB.clang_Type_getValueType(t))
    return t


bind("clang_Type_getValueType", [ci.Type], ci.Type).errcheck = ci.Type.from_result


def named(t):
    """The name of a type as it was written, for the types of pthread."""
    return t.spelling.replace("const ", "").replace("volatile ", "").replace("static ", "").strip()


def is_lock(t):
    return named(t) in MUTEX


def plain_lock(t, init):
    """Only mutexes of the normal kind, whose start value is all zeros, are covered."""
    if is_lock(t) and any(k.kind in (K.INTEGER_LITERAL, K.DECL_REF_EXPR) and constant(k) != 0 for k in init.walk_preorder()):
        raise Refused(init, "mutexes of another kind than the normal one are not covered")


def kind_of(t, cursor):
    if named(t) in MUTEX or named(t) == "pthread_t":
        return IDEAL
    s = strip(t)
    if s.kind.name == "ENUM":
        s = strip(s.get_declaration().enum_type)
    name = s.kind.name
    if name in SIGNED:
        return Kind(SIGNED[name], True)
    if name in UNSIGNED:
        return Kind(8 if name == "BOOL" else UNSIGNED[name], False, boolean=name == "BOOL")
    raise Refused(cursor, f"values of type `{t.spelling}` are not covered")


def cells_of(t, name, cursor):
    """The scalar parts of an object: name and kind."""
    if named(t) in CONDITION:
        return []
    if is_lock(t):
        return [(name, IDEAL)]
    s = strip(t)
    if s.kind.name == "CONSTANTARRAY":
        inner = t.get_canonical().element_type if not t.element_type.spelling else t.element_type
        if s.element_count > 64:
            raise Refused(cursor, "arrays of more than 64 elements are not covered")
        return [c for k in range(s.element_count) for c in cells_of(inner, f"{name}[{k}]", cursor)]
    if s.kind.name == "RECORD":
        if s.get_declaration().kind == K.UNION_DECL:
            raise Refused(cursor, "unions are not covered")
        fields = list(s.get_fields())
        if any(f.is_bitfield() for f in fields):
            raise Refused(cursor, "bit fields are not covered")
        return [c for f in fields for c in cells_of(f.type, f"{name}.{f.spelling}", cursor)]
    return [(name, kind_of(t, cursor))]


def initializer(c):
    """The expression that a declaration starts with."""
    for child in reversed(list(c.get_children())):
        if child.kind.is_expression():
            in_type = strip(c.type).kind.name == "CONSTANTARRAY" and child.kind != K.INIT_LIST_EXPR
            return None if in_type and child.kind != K.STRING_LITERAL else child
    return None


def constant(c):
    """The value of a constant expression, or None."""
    children = list(c.get_children())
    if c.kind.name in ("INTEGER_LITERAL", "CHARACTER_LITERAL", "CXX_UNARY_EXPR"):
        r = evaluate(c)
        if r is None or evaluated_kind(r) != 1:
            return None
        return convert(num(evaluated(r)), kind_of(c.type, c)).args[0]
    if c.kind in (K.PAREN_EXPR, K.CSTYLE_CAST_EXPR) or c.kind == K.UNEXPOSED_EXPR and len(children) == 1 and c.extent == children[0].extent:
        inner = constant(children[-1]) if children else None
        scalar = strip(c.type).kind.name in SIGNED or strip(c.type).kind.name in UNSIGNED
        return convert(num(inner), kind_of(c.type, c)).args[0] if inner is not None and scalar else None
    if c.kind == K.DECL_REF_EXPR and c.referenced is not None and c.referenced.kind == K.ENUM_CONSTANT_DECL:
        return c.referenced.enum_value
    if c.kind == K.UNARY_OPERATOR and UNARY.get(unary_kind(c)) in ("-", "+", "~", "!", "ext"):
        x = constant(children[0])
        f = {"-": lambda: -x, "+": lambda: x, "ext": lambda: x, "~": lambda: ~x, "!": lambda: int(not x)}
        return None if x is None else convert(num(f[UNARY[unary_kind(c)]]()), kind_of(c.type, c)).args[0]
    if c.kind == K.BINARY_OPERATOR:
        x, y = constant(children[0]), constant(children[1])
        f = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "<<": lambda: x << y if 0 <= y < 64 else None, ">>": lambda: x >> y if 0 <= y < 64 else None,
             "&": lambda: x & y, "|": lambda: x | y, "^": lambda: x ^ y, "/": lambda: x // y if x >= 0 and y > 0 else None, "%": lambda: x % y if x >= 0 and y > 0 else None}
        op = BINARY.get(binary_kind(c))
        if x is None or y is None or op not in f:
            return None
        out = f[op]()
        return None if out is None else convert(num(out), kind_of(c.type, c)).args[0]
    return None


def constant_cells(t, name, init, out):
    s = strip(t)
    if init.kind == K.INIT_LIST_EXPR and s.kind.name in ("CONSTANTARRAY", "RECORD"):
        parts = list(init.get_children())
        if s.kind.name == "CONSTANTARRAY":
            places = [(s.element_type, f"{name}[{k}]") for k in range(len(parts))]
        else:
            places = [(f.type, f"{name}.{f.spelling}") for f in s.get_fields()]
        for (inner, place), part in zip(places, parts, strict=False):
            if part.type.kind == ci.TypeKind.VOID:
                raise Refused(part, "initialisers with designators are not covered")
            constant_cells(inner, place, part, out)
        return
    if named(t) in CONDITION or is_lock(t):
        plain_lock(t, init)
        return
    v = constant(init)
    if v is None:
        raise Refused(init, "this start value is not covered")
    out[name] = convert(num(v), kind_of(t, init)).args[0]


def convert(x, kind):
    """A value as a type stores it: unsigned ones wrap, signed ones as compilers define it."""
    if kind.ideal:
        return x
    if kind.boolean:
        return ite(eq(x, num(0)), num(0), num(1))
    size = 1 << kind.bits
    if x.op == "n":
        v = x.args[0] % size
        return num(v - size if v > kind.high else v)
    low, high = bounds(x)
    if low is not None and low >= kind.low and high <= kind.high:
        return x
    if low is not None and low >= kind.low - size and high <= kind.high + size:
        up = ite(lt(x, num(kind.low)), add(x, num(size)), x)
        return up if high <= kind.high else ite(lt(num(kind.high), x), sub(x, num(size)), up)
    if not kind.signed:
        return mod(x, size)
    return sub(mod(add(x, num(size // 2)), size), num(size // 2))


BOUNDS = {}


def bounds(x):
    """Numbers between which a term is, by the kinds of its variables; or None twice."""
    none = (None, None)
    if x.op == "n":
        return x.args[0], x.args[0]
    if x.op == "v":
        return BOUNDS.get(x.args[0], none)
    if x.op == "mod":
        return 0, x.args[1].args[0] - 1
    if x.op == "ite":
        a, b = bounds(x.args[1]), bounds(x.args[2])
        return none if None in (*a, *b) else (min(a[0], b[0]), max(a[1], b[1]))
    if x.op in "+-*":
        a, b = bounds(x.args[0]), bounds(x.args[1])
        if None in (*a, *b):
            return none
        if x.op == "+":
            return a[0] + b[0], a[1] + b[1]
        if x.op == "-":
            return a[0] - b[1], a[1] - b[0]
        all4 = [p * q for p in a for q in b]
        return min(all4), max(all4)
    if x.op == "div":
        a, k = bounds(x.args[0]), x.args[1].args[0]
        return none if None in a else (a[0] // k, a[1] // k)
    return none


def known(name, kind):
    """A variable with the bounds of its kind."""
    if not kind.ideal:
        BOUNDS[name] = (0, 1) if kind.boolean else (kind.low, kind.high)
    return var(name)


def truth(c):
    return ite(c, num(1), num(0))
