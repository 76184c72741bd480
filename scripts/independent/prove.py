"""Which guesses are a proof, and the obligations of it, which both solvers decide."""

import z3

from front import BOUNDS, bounds, Kind
from graph import pc
from terms import conj, disj, eq, FALSE, le, make, neg, num, smt, subst, TRUE, value, var, variables


ROUNDS = 12


def intervals(program):
    """Guesses of bounds of variables, narrower than their types, out of all that is ever stored."""
    kinds = {v: k for t in program.threads for v, k in t.locals.items()}
    unknown = set(kinds)
    kinds.update(program.globals)
    out = {v: (x, x) for v, x in program.start.items() if x is not None and v.split(":")[0] != "pc"}
    types = {v: BOUNDS.get(v) for v in kinds}
    edges = [e for t in program.threads for e in t.edges]
    for k in range(ROUNDS):
        BOUNDS.update(out)
        changed = False
        for e in edges:
            for v, x in e.updates.items():
                if v not in out and v not in unknown or variables(x) & unknown:
                    continue
                kind, (low, high) = kinds[v], bounds(x)
                if not kind.ideal and low is not None:
                    low, high = max(low, kind.low), min(high, kind.high)  # It was converted.
                if v in unknown:
                    unknown.discard(v)
                    new = (low, high) if low is not None else (kind.low, kind.high)
                else:
                    a, b = out[v]
                    # What still grows is bounded by its type at most.
                    new = (a if low is not None and low >= a else kind.low if k > 1 or low is None else low,
                           b if high is not None and high <= b else kind.high if k > 1 or high is None else high)
                if new != out.get(v):
                    changed = True
                    out[v] = BOUNDS[v] = new
                    if None in new:
                        del out[v]
                        BOUNDS.pop(v, None)
        if not changed:
            BOUNDS.update({v: b for v, b in types.items() if b})
            return {v: b for v, b in out.items() if b != types.get(v)}
    BOUNDS.update({v: b for v, b in types.items() if b})
    return {}


class Problem:
    """A program with an assertion for each node of each thread: `holds[thread's name, node]`, a list."""

    def __init__(self, program, holds, narrow):
        self.p, self.holds, self.narrow = program, {k: list(c) for k, c in holds.items()}, narrow
        self.threads = program.threads
        self.least = max(t.number for t in self.threads) + 2
        for t in self.threads:
            allowed = set(program.globals).union(t.locals, *[j.locals for j in self.threads if not j.many])
            for key in (k for k in self.holds if k[0] == t.name):
                self.holds[key] = [c for c in self.holds[key] if variables(c) <= allowed]
        self.nodes = {t.name: sorted({n for (name, n) in holds if name == t.name}) for t in self.threads}
        self.kinds = dict(program.globals)
        for t in self.threads:
            self.kinds.update(t.locals)
        self.types = dict(self.kinds)
        for v, (low, high) in self.narrow.items():
            if v in program.globals:
                self.kinds[v] = kind = Kind(64, True)
                kind.low, kind.high = low, high
        for t in self.threads:
            for n in self.nodes[t.name]:
                near = sorted(v for v in t.live.get(n, ()) if v in self.narrow)
                more = [c for v in near for c in (le(num(self.narrow[v][0]), var(v)), le(var(v), num(self.narrow[v][1])))]
                if n not in t.errors:
                    self.holds[t.name, n] = [*self.holds[t.name, n], *[c for c in more if c not in self.holds[t.name, n]]]

    def must_not_be(self, key):
        """Is this an error?"""
        return any(t.name == key[0] and key[1] in t.errors for t in self.threads)

    # Names of a second thread of the same start routine end with ~.
    def other(self, t, j):
        """The renaming of locals of `j` beside a thread `t`."""
        names = set(j.locals) if t is j else set()
        return {n: var(n + "~") for n in names}

    def handles(self, *threads):
        """Handles of threads of which there are many: none of those that have a number, and all different."""
        selves = [var(f"{t.name}::self" + mark) for t, mark in threads if t.many]
        far = [le(num(self.least), s) for s in selves]
        return conj(*far, *[neg(eq(a, b)) for k, a in enumerate(selves) for b in selves[:k]])

    def ranges(self, *terms):
        """That variables have values of their types."""
        out = []
        for name in sorted(set().union(*[variables(t) for t in terms])):
            kind = self.kinds.get(name.rstrip("~"))
            if kind is not None and not kind.ideal:
                low, high = (0, 1) if kind.boolean else (kind.low, kind.high)
                out += [make("<=", num(low), var(name)), make("<=", var(name), num(high))]
        return out

    # Obligations: what is assumed, and the list of what must follow.
    def start(self, t):
        """Of a thread: its assertion where it is at the start."""
        here = [eq(var(v), num(x)) for v, x in sorted(self.p.start.items()) if x is not None]
        return [*here, self.handles((t, ""))], self.holds[t.name, t.entry if t.name == "main" else 0], {}

    def step(self, t, e):
        """A step of a thread leads from its assertion to its assertion."""
        here = self.holds[t.name, e.src]
        updates = e.updates if t.many else {**e.updates, pc(t): num(e.dst)}
        return [*here, e.guard, self.handles((t, "")), self.place(t, e.src)], self.holds[t.name, e.dst], updates

    def place(self, t, n):
        return TRUE if t.many else eq(var(pc(t)), num(n))

    def creation(self, t):
        """The step that creates a thread leads to the assertion at its entry."""
        by, site = t.site
        out = []
        for e in by.edges:
            if pc(t) in e.updates:
                assume = [*self.holds[t.name, 0], *self.holds[by.name, e.src], e.guard, self.place(by, e.src), self.place(t, 0)]
                updates = {**e.updates, **({} if by.many else {pc(by): num(e.dst)})}
                out.append((e, (assume, self.holds[t.name, t.entry], updates)))
        return out

    def spoken_of(self, t):
        """What a thread's assertions speak of and others may change: shared variables, and locals of threads that are there once."""
        names = set().union(*[variables(c) for n in self.nodes[t.name] for c in self.holds[t.name, n]])
        return sorted(n for n in names if n not in t.locals)

    def environment(self, t, j):
        """What the steps of `j` do to what the assertions of another thread `t` speak of: a formula over values before
        and, with ', after; or None if nothing."""
        shared, rename, out = self.spoken_of(t), self.other(t, j), []
        shared = [v for v in shared if v != pc(t)]
        for e in j.edges:
            updates = dict(e.updates)
            if not j.many and e.src != e.dst:
                updates[pc(j)] = num(e.dst)
            if not any(v in updates for v in shared) or pc(t) in e.updates:
                continue
            memo = {}
            before = [subst(c, rename, memo) for c in (*self.holds[j.name, e.src], e.guard)]
            frame = [eq(var(v + "'"), subst(updates[v], rename, memo) if v in updates else var(v)) for v in shared]
            out.append(conj(self.place(j, e.src), *before, *frame))
        return disj(*out) if out else None

    def stable(self, t, j):
        """The parts of what stability asks for: what is assumed of all, and for each kind of node assertion and places."""
        happens = self.environment(t, j)
        if happens is None:
            return None
        rename = {v: var(v + "'") for v in self.spoken_of(t) if v != pc(t)}
        groups = {}
        for n in self.nodes[t.name]:
            here = self.holds[t.name, n]
            if any(v in rename for c in here for v in variables(c)) and FALSE not in here:
                groups.setdefault(tuple(here), []).append(n)
        handles = self.handles((t, ""), (j, "~" if t is j else ""))
        return [happens, handles, *self.ranges(happens)], rename, groups


class Search:
    """Drops guesses that do not hold, until what is left is a proof, or too little. Asks Z3; nothing of it is trusted."""

    def __init__(self, problem, seconds=10):
        self.q, self.cache, self.dropped, self.seconds = problem, {}, 0, seconds

    def z3(self, t):
        r = self.cache.get(t)
        if r is None:
            a = t.args if t.op in ("n", "v") else [self.z3(x) for x in t.args]
            r = self.cache[t] = {
                "n": lambda: z3.IntVal(a[0]), "v": lambda: z3.Int(a[0]), "true": lambda: z3.BoolVal(True), "false": lambda: z3.BoolVal(False),
                "+": lambda: a[0] + a[1], "-": lambda: a[0] - a[1], "*": lambda: a[0] * a[1], "div": lambda: a[0] / a[1], "mod": lambda: a[0] % a[1],
                "=": lambda: a[0] == a[1], "<=": lambda: a[0] <= a[1], "<": lambda: a[0] < a[1], "and": lambda: z3.And(a), "or": lambda: z3.Or(a),
                "not": lambda: z3.Not(a[0]), "ite": lambda: z3.If(a[0], a[1], a[2]),
            }[t.op]()
        return r

    def solver(self):
        s = z3.Solver()
        s.set("timeout", self.seconds * 1000)
        return s

    def refuted(self, solver, goals):
        """Goals that do not follow, by models."""
        bad = set()
        rest = [g for g in goals if g is not TRUE]
        while rest:
            solver.push()
            solver.add(z3.Or([z3.Not(self.z3(g)) for g in rest]))
            answer = solver.check()
            if answer == z3.sat:
                m = solver.model()
                model = {d.name(): m[d].as_long() for d in m.decls()}
                memo = {}
                wrong = {g for g in rest if not value(g, model, memo)}
            solver.pop()
            if answer == z3.unsat:
                return bad
            if answer != z3.sat or not wrong:
                return bad | set(rest)
            bad |= wrong
            rest = [g for g in rest if g not in wrong]
        return bad

    def drop(self, key, goals, after, bad):
        """Removes the guesses at a node whose image is refuted."""
        keep = [c for c, g in zip(goals, after) if g not in bad]
        if len(keep) < len(goals) and not self.q.must_not_be(key):
            self.dropped += len(goals) - len(keep)
            self.q.holds[key] = keep
            return True
        return False

    def check(self, key, obligation):
        assume, goals, updates = obligation
        if FALSE in assume or self.q.must_not_be(key):
            return False
        memo = {}
        after = [subst(c, updates, memo) for c in goals]
        s = self.solver()
        for a in (*assume, *self.q.ranges(*assume, *after)):
            s.add(self.z3(a))
        return self.drop(key, goals, after, self.refuted(s, [g for g in after if g not in assume]))

    def run(self):
        q = self.q
        for t in q.threads:
            self.check((t.name, t.entry if t.name == "main" else 0), q.start(t))
        while True:
            changed = False
            work = [(t, e) for t in q.threads for e in t.edges]
            while work:
                t, e = work.pop(0)
                if self.check((t.name, e.dst), q.step(t, e)):
                    changed = True
                    work += [(t, f) for f in t.edges if f.src == e.dst and (t, f) not in work]
            for t in q.threads:
                if t.name != "main" and not t.many:
                    for e, o in q.creation(t):
                        changed |= self.check((t.name, t.entry), o)
            for t in q.threads:
                for j in q.threads:
                    if t is not j or t.many:
                        changed |= self.stable(t, j)
            if not changed:
                return

    def wide(self):
        """Shared variables that steps take out of the bounds that were guessed."""
        out = set()
        for t in self.q.threads:
            for e in t.edges:
                mine = [v for v in e.updates if v in self.q.narrow and v in self.q.p.globals and v not in out]
                goals = {subst(r, e.updates): v for v in mine for r in self.q.ranges(var(v))}
                assume, _, _ = self.q.step(t, e)
                if mine and FALSE not in assume:
                    s = self.solver()
                    for a in (*assume, *self.q.ranges(*assume, *e.updates.values())):
                        s.add(self.z3(a))
                    out |= {goals[g] for g in self.refuted(s, list(goals))}
        return out

    def stable(self, t, j):
        parts = self.q.stable(t, j)
        if parts is None:
            return False
        assume, rename, groups = parts
        s, changed = self.solver(), False
        for a in assume:
            s.add(self.z3(a))
        for here, nodes in groups.items():
            after = [subst(c, rename) for c in here]
            s.push()
            for a in (*here, *self.q.ranges(*here), disj(*[self.q.place(t, n) for n in nodes])):
                s.add(self.z3(a))
            bad = self.refuted(s, [a for a, c in zip(after, here) if a is not c])
            s.pop()
            for n in nodes:
                changed |= self.drop((t.name, n), list(here), after, bad)
        return changed


class Script:
    """Questions as SMT-LIB, each to be answered `unsat`."""

    def __init__(self):
        self.lines, self.titles, self.names = [], [], set()

    def use(self, term):
        self.names |= variables(term)
        return smt(term)

    def ask(self, title, assume, goals):
        goals = [g for g in goals if g is not TRUE and g not in assume]
        if FALSE in assume or not goals:
            return
        self.titles.append(title)
        self.lines += ["(push 1)", *[f"(assert {self.use(a)})" for a in assume if a is not TRUE],
                       f"(assert {self.use(neg(conj(*goals)))})", "(check-sat)", "(pop 1)"]

    def text(self):
        return "\n".join(["(set-logic ALL)", *[f"(declare-const |{n}| Int)" for n in sorted(self.names)], *self.lines]) + "\n"


def obligations(q):
    """All that has to hold, as scripts."""
    out = []
    own = Script()
    for t in q.threads:
        assume, goals, _ = q.start(t)
        own.ask(f"thread {t.name}: its assertion at the start", assume, [*goals, *q.ranges(*[var(v) for v, x in q.p.start.items() if x is not None])])
        for k, e in enumerate(t.edges):
            title = f"thread {t.name}, step {k} ({', '.join(f'{w} {o} in line {l}' for (_, l, (w, o)), _ in e.keys)})"
            assume, goals, updates = q.step(t, e)
            ranges = [subst(r, e.updates) for v in sorted(e.updates) for r in q.ranges(var(v))]
            after = [subst(c, updates) for c in goals]
            own.ask(title, [*assume, *q.ranges(*assume, *after, *e.updates.values())], [*after, *ranges])
        if t.name != "main" and not t.many:
            for e, (assume, goals, updates) in q.creation(t):
                after = [subst(c, updates) for c in goals]
                own.ask(f"thread {t.name}: its assertion when it is created", [*assume, *q.ranges(*assume, *after)], after)
        for n, what in t.errors.items():
            if n in q.nodes[t.name]:
                own.ask(f"thread {t.name}: {what} is not reached", [*q.holds[t.name, n], *q.ranges(*q.holds[t.name, n]), q.handles((t, ""))], [FALSE])
    exclusive(q, own)
    out.append(own)
    for t in q.threads:
        for j in q.threads:
            parts = q.stable(t, j) if t is not j or t.many else None
            if parts is None:
                continue
            assume, rename, groups = parts
            s = Script()
            s.lines += [f"(assert {s.use(a)})" for a in assume if a is not TRUE]
            for here, nodes in groups.items():
                after = [subst(c, rename) for c in here]
                s.ask(f"thread {t.name} at {nodes} beside {j.name}",
                      [*here, *q.ranges(*here), disj(*[q.place(t, n) for n in nodes])], after)
            out.append(s)
    return out


def exclusive(q, script):
    label = q.p.options["exclusive"]
    if label is None:
        return
    at = [(t, n) for t in q.threads for n, ls in t.labels.items() if label in ls and n in q.nodes[t.name]]
    for k, (t, n) in enumerate(at):
        for j, m in at[:k] + ([(t, n)] if t.many else []):
            if t is j and not t.many:
                continue
            rename = q.other(t, j)
            there = [subst(c, rename) for c in q.holds[j.name, m]]
            assume = [*q.holds[t.name, n], *there, q.place(t, n), q.place(j, m), q.handles((t, ""), (j, "~" if t is j else ""))]
            script.ask(f"{t.name} and {j.name} are not both at {label}", [*assume, *q.ranges(*assume)], [FALSE])


def z3_answers(text, seconds):
    context = z3.Context()
    text = f"(set-option :timeout {int(seconds * 1000)})\n" + text
    return z3.Z3_eval_smtlib2_string(context.ref(), text).split()


def cvc5_answers(text, seconds):
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligations")
    out = []
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return out
        out += command.invoke(solver, parser.getSymbolManager()).split()
