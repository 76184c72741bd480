"""Functions that are not defined in the program."""
from front import constant, convert, IDEAL, INPUTS, INT, K, Kind, NOTHING, Refused, SIGNED, strip, truth, UNSIGNED
from terms import add, eq, neg, num, sub, var
from shapes import bare, core, effects

LOCK = {"pthread_mutex_lock", "pthread_spin_lock"}
TRY = {"pthread_mutex_trylock", "pthread_spin_trylock"}
UNLOCK = {"pthread_mutex_unlock", "pthread_spin_unlock"}
ERRORS = {"__assert_fail", "__assert", "reach_error", "__assert_perror_fail", "__assert_rtn", "__VERIFIER_error"}
ENDS = {"abort", "exit", "_Exit", "_exit", "quick_exit", "pthread_exit"}
FETCH = {"add": "+", "sub": "-"}
WIDE = {"BOOL": Kind(8, False, boolean=True), "CHAR_S": Kind(8, True), **{k: Kind(b, True) for k, b in SIGNED.items()},
        **{k: Kind(b, False) for k, b in UNSIGNED.items() if k != "BOOL"}}


def library(b, c, name, args):
    if any(strip(a.type).kind.name == "POINTER" and effects(a) for a in args):
        raise Refused(c, "effects in an argument that is a pointer are not covered")
    if name in ERRORS:
        return error(b, c, name)
    if name in ENDS:
        b.edge(b.t.end)
        b.cur = None
        return num(0)
    if name == "__VERIFIER_assert":
        yes, no = b.node(), b.node()
        b.condition(args[0], yes, no)
        b.cur = no
        error(b, c, name)
        b.cur = yes
        return num(0)
    if name in ("__VERIFIER_assume", "assume"):
        # Where it does not hold the thread comes to a node without edges.
        yes, no = b.node(), b.node()
        b.condition(args[0], yes, no)
        b.cur = yes
        return num(0)
    if name.startswith("__VERIFIER_nondet_"):
        k = INPUTS.get(name[len("__VERIFIER_nondet_"):])
        if k is None:
            raise Refused(c, f"inputs of `{name}` are not covered")
        return b.nondet(WIDE[k])
    if name == "__VERIFIER_atomic_begin":
        b.begin()
        return num(0)
    if name == "__VERIFIER_atomic_end":
        if not b.depth:
            raise Refused(c, "the end of an atomic section that has not begun")
        b.leave()
        return num(0)
    if name in NOTHING:
        for a in args:
            if b.pointee(a) is None and strip(a.type).kind.name != "POINTER":
                b.discard(a)
        return num(0)
    if name == "__builtin_expect":
        return b.value(args[0])
    if name == "pthread_self":
        return b.self_term
    if name == "pthread_create":
        return create(b, c, args)
    if name == "pthread_join":
        return join(b, c, args)
    if name in LOCK | TRY | UNLOCK or name in ("pthread_mutex_init", "pthread_spin_init", "pthread_cond_wait"):
        return lock(b, c, name, args)
    if name.startswith("__sync_") or name.startswith("__atomic_"):
        return atomic(b, c, name, args)
    raise Refused(c, f"the function `{name}` is not covered")


def error(b, c, name):
    n = b.node()
    if b.depth:
        b.t.atomic.discard(n)
    b.t.errors[n] = f"{name}, line {c.location.line}"
    b.edge(n)
    b.cur = None
    return num(0)


def target(b, c, a):
    t = b.pointee(a)
    if t is None:
        raise Refused(c, "access through a pointer")
    return t


def lock(b, c, name, args):
    if name == "pthread_cond_wait":
        lock(b, c, "pthread_mutex_unlock", args[1:])
        # Woken at any time.
        return lock(b, c, "pthread_mutex_lock", args[1:])
    if "init" in name and "mutex" in name and len(args) > 1 and constant(core(args[1])) != 0:
        raise Refused(c, "mutexes with attributes are not covered")
    t = target(b, c, args[0])
    cells, kind = b.place(t)
    if not kind.ideal:
        raise Refused(c, "this is no mutex")
    b.at(c)
    if "init" in name:
        b.store(t, num(0), cells)
        return num(0)
    b.begin()
    b.at(c)
    x = b.load_cells(t, cells, kind)
    if name in UNLOCK:
        # Else undefined for a normal mutex: assumed.
        b.edge(guard=eq(x, b.self_term), blocks=True)
        b.store(t, num(0), cells)
        out = num(0)
    elif name in LOCK:
        b.edge(guard=eq(x, num(0)), blocks=True)
        b.store(t, b.self_term, cells)
        out = num(0)
    else:
        out = b.local("%busy", INT)
        swap(b, t, cells, x, num(0), b.self_term, {out.args[0]: num(0)}, {out.args[0]: num(16)})
    b.leave()
    return out


def create(b, c, args):
    f = bare(args[2])
    if f.kind.name == "UNARY_OPERATOR":
        f = bare(list(f.get_children())[0])
    if f.referenced is None or f.referenced.kind != K.FUNCTION_DECL:
        raise Refused(c, "the start routine is not a function's name")
    if constant(core(args[1])) != 0 and b.pointee(args[1]) is None:
        raise Refused(c, "these attributes of a thread are not covered")
    handle = target(b, c, args[0])
    cells, _ = b.place(handle)
    value = num(0)
    if constant(core(args[3])) != 0:
        inner = args[3]
        while inner.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR) and strip(inner.type).kind.name == "POINTER":
            inner = list(inner.get_children())[-1]
        # A pointer is something unknown: whoever uses it is refused.
        pointer = b.pointee(inner) is not None or strip(inner.type).kind.name not in (*SIGNED, *UNSIGNED)
        value = var(b.p.fresh()) if pointer else b.value(inner)
    b.at(c)
    if b.depth:
        raise Refused(c, "a thread is created in an atomic section")
    thread = b.p.created(f.referenced.spelling, b.t, c)
    site = b.edge(does=("create", thread.name))
    thread.site = (b.t, site)
    thread.argument = value
    b.p.globals.setdefault(f"arg:{thread.name}", IDEAL)
    b.p.start[f"arg:{thread.name}"] = 0
    b.at(c)
    b.store(handle, thread.handle, cells)
    return num(0)


def join(b, c, args):
    h = b.value(args[0])
    if len(args) > 1 and constant(core(args[1])) != 0:
        raise Refused(c, "the value that a thread returns is not covered")
    b.at(c)
    e = b.edge(does=("join", ""), blocks=True)
    e.joins = h
    return num(0)


def atomic(b, c, name, args):
    """One step: what compilers' functions on atomic objects do."""
    base = name.replace("__sync_", "").replace("__atomic_", "").removesuffix("_n")
    for size in ("_1", "_2", "_4", "_8"):
        base = base.removesuffix(size)
    if base in ("thread_fence", "signal_fence", "synchronize"):
        return num(0)
    t = target(b, c, args[0])
    cells, kind = b.place(t)
    sync = name.startswith("__sync_")
    rest = [b.keep(b.value(a), args[-1]) if b.pointee(a) is None else a for a in args[1:]]
    b.begin()
    b.at(c)
    out = num(0)
    if base == "lock_release":
        b.store(t, num(0), cells)
    elif base == "store" and not sync:
        b.store(t, convert(rest[0], kind), cells)
    elif base == "load":
        out = b.load_cells(t, cells, kind)
    elif base in ("lock_test_and_set", "exchange"):
        out = b.load_cells(t, cells, kind)
        b.store(t, convert(rest[0], kind), cells)
    elif base in ("bool_compare_and_swap", "val_compare_and_swap"):
        x = b.load_cells(t, cells, kind)
        swap(b, t, cells, x, convert(rest[0], kind), convert(rest[1], kind))
        out = truth(eq(x, convert(rest[0], kind))) if base.startswith("bool") else x
    else:
        words = base.split("_")
        if len(words) != 3 or "fetch" not in words or not set(words) & set(FETCH):
            raise Refused(c, f"the function `{name}` is not covered")
        op = FETCH[[w for w in words if w in FETCH][0]]
        x = b.load_cells(t, cells, kind)
        new = convert((add if op == "+" else sub)(x, rest[0]), kind)  # These wrap.
        b.store(t, new, cells)
        out = x if words[0] == "fetch" else new
    b.leave()
    return out


def swap(b, t, cells, x, old, new, done=None, failed=None):
    """Where the object is `old` it becomes `new`; with what each of the two cases sets besides."""
    yes, no, end = b.node(), b.node(), b.node()
    here = b.cur
    b.edge(yes, guard=eq(x, old))
    b.store(t, new, cells)
    b.edge(end, updates=done)
    b.cur = here
    b.edge(no, guard=neg(eq(x, old)))
    b.edge(end, updates=failed)
