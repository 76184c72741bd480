"""Statements."""
from contextlib import contextmanager

from front import cells_of, CONDITION, constant, constant_cells, IDEAL, initializer, is_lock, K, kind_of, known, named, Refused, strip
from shapes import core
from terms import conj, eq, neg, num, TRUE


def run(b, s):
    """Does a statement from the current node on."""
    if b.cur is None and s.kind not in (K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT, K.COMPOUND_STMT) and not has_label(s):
        return  # Nobody comes here.
    f = TABLE.get(s.kind)
    b.at(s)
    if f is None and s.kind.is_expression():
        with full(b, s):
            b.discard(s)
    elif f is None:
        raise Refused(s, f"this statement is not covered ({s.kind.name})")
    else:
        f(b, s, list(s.get_children()))


def is_step(b, c):
    """Is a full expression one step here?"""
    return b.p.options["atomicity"] == "statement" and not b.depth and not calls_us(b, c)


@contextmanager
def full(b, c):
    """What is done inside is one step where statements are."""
    whole = is_step(b, c)
    if whole:
        b.begin()
    yield
    if whole:
        b.leave()


def calls_us(b, c):
    """Does the expression call something that has steps of its own?"""
    if c.kind == K.CALL_EXPR:
        return True
    return any(calls_us(b, k) for k in c.get_children() if k.kind.name != "StmtExpr") or c.kind.name == "StmtExpr" and not asserts(c)


def asserts(c):
    return all(k.kind in (K.COMPOUND_STMT, K.IF_STMT, K.NULL_STMT) or k.kind.is_expression() for k in c.get_children())


def has_label(s):
    return s.kind in (K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT) or any(has_label(k) for k in s.get_children() if not k.kind.is_expression())


def test(b, c, yes, no):
    """A condition as a full expression: one step where statements are."""
    if b.cur is None:
        b.cur = b.node()
    if not is_step(b, c):
        b.condition(c, yes, no)
        return
    b.begin()
    inner_yes, inner_no = b.node(), b.node()
    b.condition(c, inner_yes, inner_no)
    b.depth = 0
    for n, to in ((inner_yes, yes), (inner_no, no)):
        b.cur = n
        b.edge(to)
    b.cur = None


def compound(b, s, children):
    for c in children:
        run(b, c)


def declaration(b, s, children):
    for d in children:
        if d.kind == K.VAR_DECL:
            variable(b, d)
        elif d.kind not in (K.STRUCT_DECL, K.ENUM_DECL, K.TYPEDEF_DECL, K.FUNCTION_DECL, K.UNION_DECL):
            raise Refused(d, f"this declaration is not covered ({d.kind.name})")


def variable(b, d):
    if d.storage_class.name == "STATIC":
        if f"static:{d.hash}" not in b.p.shapes:
            b.p.declare_global(d, f"static:{d.hash}")
        return
    if d.storage_class.name == "EXTERN":
        return
    init = initializer(d)
    if named(d.type) in CONDITION:
        return
    if is_lock(d.type):
        raise Refused(d, "locks that are local are not covered")
    s = strip(d.type)
    if s.kind.name == "POINTER":
        raise Refused(d, "pointers are not covered")
    base = b.local(d.spelling, IDEAL).args[0]
    del b.t.locals[base]
    b.scope.locals[d.hash] = base
    b.t.named.setdefault((b.scope.calls, d.spelling), []).append(base)
    cells = cells_of(d.type, base, d)
    for name, kind in cells:
        b.t.locals[name] = kind
    if s.kind.name in ("CONSTANTARRAY", "RECORD"):
        values = {}
        if init is not None:
            constant_cells(d.type, base, init, values)
        for name, kind in cells:
            if init is None:
                b.havoc(known(name, kind), kind)
            else:
                b.edge(updates={name: num(values.get(name, 0))})
        return
    v = known(base, cells[0][1])
    if init is None:
        b.at(d)
        b.havoc(v, cells[0][1])
        return
    with full(b, init):
        b.edge(updates={base: b.value(init)})


def if_(b, s, children):
    yes, no, done = b.node(), b.node(), b.node()
    depth = b.depth
    test(b, children[0], yes, no)
    b.cur = yes
    run(b, children[1])
    if b.cur is not None:
        same_depth(b, s, depth)
        b.edge(done)
    b.depth, b.cur = depth, no
    if len(children) > 2:
        run(b, children[2])
    if b.cur is not None:
        same_depth(b, s, depth)
        b.edge(done)
    b.depth = depth
    b.cur = done if reached(b, done) else None


def same_depth(b, s, depth):
    """Is this place in as many atomic sections as where it leads? Else nodes would be taken for atomic that are not."""
    if b.depth != depth:
        raise Refused(s, "an atomic section that begins or ends in a part of a statement only is not covered")


def reached(b, n):
    return any(e.dst == n for e in b.t.edges)


def loop(b, condition, body, step, first):
    """`first`: the body comes before the first test."""
    head, inside, again, done = b.node(), b.node(), b.node(), b.node()
    if b.cur is None:
        b.cur = b.node()
    b.edge(inside if first else head)
    b.cur = head
    if condition is None:
        b.edge(inside)
    else:
        test(b, condition, inside, done)
    depth = b.depth
    b.breaks.append((done, depth))
    b.continues.append((again, depth))
    b.cur = inside
    run(b, body)
    if b.cur is not None:
        same_depth(b, body, depth)
        b.edge(again)
    b.depth = depth
    b.breaks.pop()
    b.continues.pop()
    b.cur = again
    if step is not None:
        run(b, step)
    b.edge(head)
    b.cur = done if reached(b, done) else None


def while_(b, s, children):
    if len(children) != 2:
        raise Refused(s, "this loop is not covered")
    loop(b, children[0], children[1], None, False)


def do(b, s, children):
    loop(b, children[1], children[0], None, True)


def for_(b, s, children):
    have, parts = for_parts(s, len(children)), iter(children)
    init, condition, step = [next(parts) if h else None for h in have]
    body = next(parts)
    if init is not None:
        run(b, init)
    loop(b, condition, body, step, False)


def for_parts(s, n):
    """Which of the three parts of a `for` are there: its tokens say so."""
    if n == 4:
        return True, True, True
    tokens = [t.spelling for t in s.get_tokens()]
    if tokens[:2] != ["for", "("]:
        raise Refused(s, "a `for` with a part left out inside of a macro is not covered")
    depth, have, part = 0, [False] * 3, 0
    for t in tokens[2:]:
        if t in "([{":
            depth += 1
        elif t in ")]}":
            if not depth:
                break
            depth -= 1
        if t == ";" and not depth:
            part += 1
            if part > 2:
                break
            continue
        have[part] = True
    if part != 2 or sum(have) + 1 != n:
        raise Refused(s, "this `for` is not covered")
    return have


def switch(b, s, children):
    value = b.value(children[0])
    kept = b.local("%switch", kind_of(children[0].type, children[0]))
    b.edge(updates={kept.args[0]: value})
    start, done = b.cur, b.node()
    b.switches.append({"cases": [], "default": None})
    depth = b.depth
    b.breaks.append((done, depth))
    b.cur = None
    run(b, children[1])
    if b.cur is not None:
        same_depth(b, s, depth)
        b.edge(done)
    b.depth = depth
    b.breaks.pop()
    found = b.switches.pop()
    rest = TRUE
    for v, node in found["cases"]:
        b.cur = start
        b.edge(node, guard=eq(kept, num(v)))
        rest = conj(rest, neg(eq(kept, num(v))))
    b.cur = start
    b.edge(found["default"] or done, guard=rest)
    b.cur = done if reached(b, done) else None


def case(b, s, children):
    v = constant(children[0])
    if v is None or len(children) != 2 or not b.switches:
        raise Refused(s, "this `case` is not covered")
    n = enter(b, s)
    b.switches[-1]["cases"].append((v, n))
    b.cur = n
    run(b, children[1])


def enter(b, s):
    """A node that is jumped to from the head of the switch, and fallen through to."""
    same_depth(b, s, b.breaks[-1][1])
    n = b.node()
    if b.cur is not None:
        b.edge(n)
    return n


def default(b, s, children):
    n = enter(b, s)
    b.switches[-1]["default"] = n
    b.cur = n
    run(b, children[0])


def label(b, s, children):
    same_depth(b, s, 0)
    node = goto_node(b, s.spelling)
    b.scope.gotos[s.spelling] = (node, None)
    if b.cur is not None:
        b.edge(node)
    b.cur = node
    b.t.labels.setdefault(node, set()).add(s.spelling)
    if s.spelling == "ERROR" or s.spelling in b.p.options["error_labels"]:
        b.t.errors[node] = f"label {s.spelling}, line {s.location.line}"
    run(b, children[0])


def goto_node(b, name, place=None):
    if name not in b.scope.gotos:
        depth, b.depth = b.depth, 0
        b.scope.gotos[name] = (b.node(), place)
        b.depth = depth
    return b.scope.gotos[name][0]


def goto(b, s, children):
    if b.depth:
        raise Refused(s, "`goto` inside of an atomic section is not covered")
    b.edge(goto_node(b, children[0].spelling, s))
    b.cur = None


def jump(stack, what):
    def f(b, s, children):
        if not getattr(b, stack):
            raise Refused(s, f"`{what}` outside of a loop")
        target, depth = getattr(b, stack)[-1]
        same_depth(b, s, depth)
        b.edge(target)
        b.cur = None
    return f


def return_(b, s, children):
    if children and b.scope.result is not None:
        with full(b, children[0]):
            b.edge(updates={b.scope.result.args[0]: b.value(children[0])})
    elif children and constant(core(children[0])) is None:
        b.discard(children[0])
    b.scope.depths.add(b.depth)
    b.edge(b.scope.leave)
    b.cur = None


TABLE = {
    K.COMPOUND_STMT: compound, K.DECL_STMT: declaration, K.IF_STMT: if_, K.WHILE_STMT: while_, K.DO_STMT: do, K.FOR_STMT: for_,
    K.SWITCH_STMT: switch, K.CASE_STMT: case, K.DEFAULT_STMT: default, K.LABEL_STMT: label, K.GOTO_STMT: goto,
    K.BREAK_STMT: jump("breaks", "break"), K.CONTINUE_STMT: jump("continues", "continue"), K.RETURN_STMT: return_,
    K.NULL_STMT: lambda b, s, children: None,
}
