"""From the small steps of threads to those that others can tell apart.

A step that only its thread can notice is done together with the one before it, where it can always be done, or with the
one after it. So between two accesses to what threads share there is one node.
"""
from front import Edge, IDEAL, Refused
from terms import conj, disj, eq, FALSE, neg, num, subst, TRUE, var, variables

GROWTH = 12


def compose(a, b):
    """One step after the other, or None if that cannot be."""
    guard = conj(a.guard, subst(b.guard, a.updates))
    if guard is FALSE:
        return None
    memo = {}
    updates = {**a.updates, **{v: subst(t, a.updates, memo) for v, t in b.updates.items()}}
    e = Edge(a.src, b.dst, guard, updates, a.reads | b.reads, a.writes | b.writes, None, a.blocks or b.blocks)
    e.keys = a.keys + b.keys
    return e


def pc(t):
    return f"pc:{t.name}"


def finish(program):
    """Creation and joining as guards and updates of variables; then each graph made small."""
    threads = program.threads
    handles = {f"handle:{t.name}": num(t.number + 1) for t in threads if not t.many}
    for t in threads:
        for e in t.edges:
            e.keys = [(e.key, e.src)] if e.key else []
            if handles and any(v in handles for v in variables(conj(e.guard, *[eq(x, num(0)) for x in e.updates.values()]))):
                e.guard = subst(e.guard, handles)
                e.updates = {v: subst(x, handles) for v, x in e.updates.items()}
    for t in threads:
        started = f"started:{t.name}"
        if t.name != "main":
            program.globals[started], program.start[started] = IDEAL, 0
        if not t.many:
            program.globals[pc(t)] = IDEAL
            program.start[pc(t)] = t.entry if t.name == "main" else 0
        if t.name == "main":
            continue
        site = t.site[1]
        site.updates = {**site.updates, started: num(1)}
        site.writes.add(started)
        if t.many:
            enter = Edge(0, t.entry, eq(var(started), num(1)), {}, {started}, (), None, True)
            enter.keys = []
            t.edges.insert(0, enter)
        else:
            # It is created once: `many` is false where the place is on no cycle and its thread is there once.
            site.guard = conj(site.guard, eq(var(pc(t)), num(0)))
            site.updates.update({pc(t): num(t.entry), f"arg:{t.name}": t.argument})
            site.writes |= {pc(t), f"arg:{t.name}"}
    for t in threads:
        for e in t.edges:
            h = getattr(e, "joins", None)
            if h is None:
                continue
            for u in threads:
                if not u.many and u.name != "main":
                    ended = eq(var(pc(u)), num(u.end))
                    waits = disj(neg(eq(subst(h, handles), num(u.number + 1))), ended)
                    e.guard = conj(e.guard, waits)
                    if waits is not TRUE:
                        e.reads.add(pc(u))
    for t in threads:
        constants(program, t)
        t.micro = list(t.edges)
        atomics(t)
    for later in (False, True, True):
        seen = Accesses(threads)
        for t in threads:
            shrink(program, t, seen, later)
    for t in threads:
        forget(program, t)


def constants(program, t):
    """Locals that always have the same value at a node are that value: so indices of arrays are numbers."""
    known = {t.entry: {}}
    work = [t.entry]
    outs = {}
    for e in t.edges:
        outs.setdefault(e.src, []).append(e)
    while work:
        n = work.pop()
        for e in outs.get(n, []):
            here = {v: num(x) for v, x in known[n].items()}
            after = dict(known[n])
            for v, x in e.updates.items():
                if v in t.locals:
                    y = subst(x, here)
                    after.pop(v, None)
                    if y.op == "n":
                        after[v] = y.args[0]
            old = known.get(e.dst)
            new = after if old is None else {v: x for v, x in old.items() if after.get(v) == x}
            if new != old:
                known[e.dst] = new
                work.append(e.dst)
    for e in t.edges:
        e.blocks = e.blocks and e.guard is not TRUE
        here = {v: num(x) for v, x in known.get(e.src, {}).items()}
        if here:
            e.guard = subst(e.guard, here)
            e.updates = {v: y for v, x in e.updates.items() if (y := subst(x, here)) is not var(v)}
            e.blocks = e.blocks and e.guard is not TRUE
            used = variables(e.guard).union(*[variables(x) for x in e.updates.values()])
            e.reads = {v for v in e.reads if v in used or v not in program.start}
            e.writes = {v for v in e.writes if v in e.updates or v not in program.start}
    tidy(t)


def on_cycle(t, edge):
    """Does an edge of a thread lie on a cycle?"""
    outs = {}
    for e in t.edges:
        outs.setdefault(e.src, []).append(e.dst)
    work, seen = [edge.dst], set()
    while work:
        n = work.pop()
        if n == edge.src:
            return True
        if n not in seen:
            seen.add(n)
            work += outs.get(n, [])
    return False


def bypass(t, n):
    """Removes a node: each edge into it is joined with each one out of it."""
    ins = [e for e in t.edges if e.dst == n]
    outs = [e for e in t.edges if e.src == n]
    rest = [e for e in t.edges if e.dst != n and e.src != n]
    if not outs:
        # Who would come here cannot go on at all: not each of the values that lead there has a step any more.
        for e in rest:
            e.blocks = e.blocks or any(e.src == a.src for a in ins)
    t.edges = rest + [c for a in ins for b in outs if (c := compose(a, b))]


def reachable(t, start):
    outs = {}
    for e in t.edges:
        outs.setdefault(e.src, []).append(e.dst)
    work, seen = list(start), set(start)
    while work:
        for m in outs.get(work.pop(), []):
            if m not in seen:
                seen.add(m)
                work.append(m)
    return seen


def tidy(t):
    seen = reachable(t, [t.entry, 0])
    t.edges = [e for e in t.edges if e.src in seen and e.guard is not FALSE]


def atomics(t):
    """Atomic sections are one step."""
    tidy(t)
    for n in sorted(t.atomic, reverse=True):
        if any(e.src == n and e.dst == n for e in t.edges):
            raise Refused(None, f"thread {t.name}: a loop in an atomic section is not covered")
        if any(e.src == n for e in t.edges) or any(e.dst == n for e in t.edges):
            bypass(t, n)
    tidy(t)


class Accesses:
    """Who reads and writes each shared variable; a thread of which there are many counts twice."""

    def __init__(self, threads):
        self.readers, self.writers = {}, {}
        for t in threads:
            self.readers.setdefault(pc(t), set()).add(t.name)  # Creating it is noticed.
            for e in t.edges:
                for v in e.reads:
                    self.readers.setdefault(v, set()).update({t.name, t.name + "'"} if t.many else {t.name})
                for v in e.writes:
                    self.writers.setdefault(v, set()).update({t.name, t.name + "'"} if t.many else {t.name})

    def unseen(self, t, e, early=False):
        """Can no other thread tell when the step is done, nor change what it does? That a thread ends may be seen, but
        it only lets others go on: it may be `early`."""
        mine = {t.name}
        if e.dst == t.end and not early and self.readers.get(pc(t), set()) - mine:
            return False
        if any(self.writers.get(v, set()) - mine for v in e.reads):
            return False
        return not any((self.writers.get(v, set()) | self.readers.get(v, set())) - mine for v in e.writes)


def shrink(program, t, seen, later):
    """`later`: steps that nobody can tell from outside are also done together with what comes after them."""
    exclusive = program.options["exclusive"]
    keep = {0, t.entry, t.end, *t.errors, *[n for n, ls in t.labels.items() if exclusive in ls]}
    changed = True
    while changed:
        changed = False
        ins, outs = {}, {}
        for e in t.edges:
            ins.setdefault(e.dst, []).append(e)
            outs.setdefault(e.src, []).append(e)
        for n in sorted(set(ins) - keep, reverse=True):
            i, o = ins[n], outs.get(n, [])
            if not o:
                # Nothing happens from here on: who only looks may stay where it is.
                silent = [e for e in i if not any((seen.writers.get(v, set()) | seen.readers.get(v, set())) - {t.name} for v in e.writes)]
                if silent:
                    sources = {e.src for e in silent}
                    t.edges = [e for e in t.edges if e not in silent]
                    for e in t.edges:
                        e.blocks = e.blocks or e.src in sources
                    changed = True
                    break
                continue
            if any(e.dst == n for e in o) or len(i) * len(o) > len(i) + len(o) + GROWTH:
                continue
            if all(seen.unseen(t, e, True) and not e.blocks for e in o) or later and all(seen.unseen(t, e) for e in i):
                bypass(t, n)
                changed = True
                break
    tidy(t)


def forget(program, t):
    """Leaves out values of locals that nobody asks for later."""
    keep = {v for v in t.locals if v.split("::")[1].startswith("%") is False or "%input" in v or ":" in v.split("::")[1]}
    live = {}
    changed = True
    while changed:
        changed = False
        for e in t.edges:
            need = set(variables(e.guard))
            after = live.get(e.dst, set())
            for v, x in e.updates.items():
                if v not in t.locals or v in after:
                    need |= variables(x)
            need |= {v for v in after if v not in e.updates}
            need = {v for v in need if v in t.locals}
            if not need <= live.get(e.src, set()):
                live[e.src] = live.get(e.src, set()) | need
                changed = True
    t.live = live
    for e in t.edges:
        # A value that is not used may as well be the old one.
        e.updates = {v: x for v, x in e.updates.items() if v not in t.locals or v in live.get(e.dst, set()) or
                     v in keep and not (x.op == "v" and x.args[0].startswith("in") and x.args[0] not in program.globals
                                      and "::=" not in v)}
