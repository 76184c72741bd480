"""Reads a certificate, and makes guesses of assertions at this checker's own nodes out of it. Nothing here is trusted: what
does not fit only makes a guess weaker or wrong, and wrong guesses are dropped or cost the proof."""
import re

from front import IDEAL, known
from graph import Accesses, pc
from terms import add, BUILD, conj, disj, eq, FALSE, le, lt, mul, neg, num, subst, TRUE, var, variables

TOKEN = re.compile(r"\s*(?:(\d+)|`((?:[^`]|``)*)`('?)|([A-Za-z_$][A-Za-z0-9_$#.:\[\]~]*)('?)|(<=|>=|==|<|>|[-+*]))")
STATES = 4000


class Unreadable(Exception):
    """It is no certificate of a proof that this checker can look at."""


def tokens(text):
    out, at = [], 0
    while text[at:].strip():
        m = TOKEN.match(text, at)
        if not m:
            raise Unreadable(f"`{text}` is no comparison")
        number, quoted, p1, name, p2, op = m.groups()
        if number is not None:
            out.append(("number", int(number)))
        elif op:
            out.append(("op", op))
        else:
            out.append(("name", (name if name is not None else quoted.replace("``", "`")) + (p1 or p2 or "")))
        at = m.end()
    return out


def linear(items, resolve):
    """A sum; None where a variable has no meaning here."""
    total, sign, k, missing = num(0), 1, 0, False
    while k < len(items):
        kind, x = items[k]
        if kind == "op" and x in "+-":
            sign = sign * (-1 if x == "-" else 1)
            k += 1
            continue
        factor = 1
        if kind == "number":
            factor, k = x, k + 1
            if k < len(items) and items[k] == ("op", "*"):
                kind, x = items[k + 1]
                k += 1
            else:
                total, sign = add(total, num(sign * factor)), 1
                continue
        if kind != "name":
            raise Unreadable("a comparison is not linear")
        v = resolve(x)
        missing = missing or v is None
        total = add(total, mul(num(sign * factor), v or num(0)))
        sign, k = 1, k + 1
    return None if missing else total


def comparison(text, resolve):
    items = tokens(text)
    ops = [k for k, i in enumerate(items) if i[0] == "op" and i[1] in ("<=", ">=", "==", "<", ">")]
    if len(ops) != 1:
        raise Unreadable(f"`{text}` is no comparison")
    a, b = linear(items[:ops[0]], resolve), linear(items[ops[0] + 1:], resolve)
    if a is None or b is None:
        return None
    return {"<=": le(a, b), ">=": le(b, a), "==": eq(a, b), "<": lt(a, b), ">": lt(b, a)}[items[ops[0]][1]]


class Guesses:
    """What a certificate says, in terms of the checker's nodes and variables."""

    def __init__(self, program, data):
        self.p, self.data, self.source = program, data, data.get("source") or {"entries": [], "steps": [], "locals": [], "ghosts": []}
        self.threads = {t.name: t for t in program.threads}
        self.owner = {l["id"]: l["thread"] for l in data["locations"]}
        self.names, self.ghosts, self.main_keys = {}, {}, {}
        self.listed = {l["name"] for l in self.source["locals"]}

    def key(self, place):
        return tuple(place["calls"]), place["line"], (place["does"], place["what"])

    def matches(self, t, place):
        """The small steps of a thread that a place means."""
        calls, line, (does, what) = self.key(place)
        return [e for e in t.micro_keys.get((calls, line, does), [])
                if not what or e.key[2][1] in (what, what.split("[")[0] + "[]") or does == "create"]

    def add_ghosts(self):
        """Variables that the program does not have: what was read somewhere, and what the certificate counts or notes."""
        for t in self.p.threads:
            t.micro_keys = {}
            for e in t.edges:
                if e.key:
                    calls, line, (does, what) = e.key
                    t.micro_keys.setdefault((calls, line, does), []).append(e)
        # Names of the checker's own: those of a certificate could be anything.
        for k, l in enumerate(self.source["locals"]):
            t = self.threads.get(l["thread"])
            if t is None:
                continue
            if l["variable"]:
                # A parameter gets its value where the call is, too: the innermost place is its own.
                found = next((ns for calls in sorted(l["calls"], key=len, reverse=True) if (ns := t.named.get((tuple(calls), l["variable"])))), [])
                found = found or [n for (_, name), ns in t.named.items() if name == l["variable"] for n in ns]
                if len(set(found)) == 1:
                    self.names[l["name"]] = var(found[0])
                    continue
            full, kind = f"{t.name}::={k}", None
            for place in l["reads"]:
                for e in self.matches(t, place):
                    if len(e.updates) == 1 and full not in e.updates:
                        (temp, x), = e.updates.items()
                        kind = t.locals.get(temp, IDEAL)
                        e.updates = {**e.updates, full: x}
            if kind is not None:
                t.locals[full] = kind
                self.names[l["name"]] = known(full, kind)
        for k, g in enumerate(self.source["ghosts"]):
            self.ghosts[g["name"]] = var(f"ghost:{k}")
        for g in self.source["ghosts"]:
            self.ghost(g)
        for t in self.p.threads:
            self.names.setdefault(f"{t.name}::self", var(f"{t.name}::self") if t.many else num(t.number + 1))

    def ghost(self, g):
        full = self.ghosts[g["name"]].args[0]
        self.p.globals[full] = IDEAL
        self.p.start[full] = int(g["initial"]) if re.fullmatch(r"-?\d+", g["initial"]) else None
        for u in g["updates"]:
            t = self.threads.get(u["thread"])
            for e in self.matches(t, u["at"]) if t else []:
                x = linear(tokens(u["value"]), lambda n: self.resolve(n, t))
                if x is not None and full not in e.updates:
                    e.updates = {**e.updates, full: x}
                    e.writes.add(full)

    def resolve(self, name, t):
        if name in self.ghosts:
            return self.ghosts[name]
        if name in self.p.globals:
            return known(name, self.p.globals[name])
        if name.startswith("started(") and f"started:{name[8:-1]}" in self.p.globals:
            return var(f"started:{name[8:-1]}")
        if name == f"{t.name}::self":
            return var(name) if t.many else num(t.number + 1)
        found = self.names.get(name)
        if found is None:
            # As the checker itself calls it.
            return known(name, t.locals[name]) if name in t.locals and name not in self.listed else None
        # Locals of a thread that may be there twice are its own affair.
        whose = [j for j in self.p.threads if variables(found) & set(j.locals)]
        return found if all(j is t or not j.many for j in whose) else None

    # Where the locations are.
    def place_labels(self):
        seen = Accesses(self.p.threads)
        vocabulary = set()
        for t in self.data["threads"]:
            for texts in [s["holds"] for i in t["invariants"] for s in i["states"]] + [e["relation"] for e in t["environment"]]:
                for text in texts:
                    vocabulary |= {x.rstrip("'") for k, x in tokens(text) if k == "name"}
        # Variables that take constants only: a test of one may be put off where others can only make it true.
        stored = [(v, x) for t in self.p.threads for e in t.micro for v, x in e.updates.items()]
        self.constant = set(self.p.globals) - {v for v, x in stored if x.op != "n"}
        before, after = {}, {}
        for s in self.source["steps"]:
            t = self.threads.get(self.owner.get(s["from"]))
            if t is None:
                continue
            found = [self.matches(t, p) for p in s["path"]]

            def visible(e):
                return any(v in vocabulary or v.startswith("started:") for v in e.reads | e.writes) and not seen.unseen(t, e)

            def can_wait(e):
                return not e.writes and all(v in self.constant for v in e.reads)
            shown = [k for k, es in enumerate(found) if any(visible(e) for e in es)]
            now = [k for k in shown if not all(can_wait(e) for e in found[k])]
            main = now[0] if now else shown[-1] if shown else len(found) - 1
            for k, es in enumerate(found):
                for e in es:
                    before.setdefault((t.name, id(e)), set()).add(s["from"] if k <= main else s["to"])
                    if k == main:
                        self.main_keys.setdefault(s["from"], set()).add(e.key)
                        after.setdefault((t.name, e.key), set()).add(s["to"])
        entries = {self.owner.get(l): l for l in self.source["entries"]}
        self.forward, self.backward, self.at = {}, {}, {}
        for t in self.p.threads:
            self.label(t, before, after, entries.get(t.name))

    def label(self, t, before, after, entry):
        outs = {}
        for e in t.micro:
            outs.setdefault(e.src, []).append(e)
        nodes = {0, t.entry, t.end} | {n for e in t.edges for n in (e.src, e.dst)}
        forward = {}
        for n in nodes:
            work, seen, found = [n], {n}, set()
            while work:
                for e in outs.get(work.pop(), []):
                    labels = before.get((t.name, id(e)))
                    if labels:
                        found |= labels
                    elif e.dst not in seen:
                        seen.add(e.dst)
                        work.append(e.dst)
            forward[n] = found
        for n in (0, t.entry):
            if entry is not None:
                forward[n] = forward[n] | {entry} if n else {entry}
        backward = {n: set() for n in nodes}
        changed = True
        while changed:
            changed = False
            for e in t.edges:
                new = set().union(*[after.get((t.name, k), set()) for k, _ in e.keys]) or forward[e.src] or backward[e.src]
                if not new <= backward[e.dst]:
                    backward[e.dst] |= new
                    changed = True
        for n in nodes:
            self.forward[t.name, n], self.backward[t.name, n] = forward[n], backward[n]
            for l in forward[n] or backward[n]:
                self.at.setdefault(l, set()).add(n)

    def located(self, thread, ids):
        """That a thread, of which there is one, is at one of these locations."""
        t = self.threads.get(thread)
        if t is None or t.many:
            return None
        nodes = set().union(*[self.at.get(l, set()) for l in ids]) if ids else set()
        return disj(*[eq(var(pc(t)), num(n)) for n in sorted(nodes)])

    def states(self, t, record, living=None):
        """The assertion at a location, and what all its states have in common. `living`: the locals that it may speak of."""
        out, common = [], None
        for s in record["states"][:STATES]:
            parts = []
            for o in s["others"]:
                where = self.located(o["thread"], o["at"])
                if where is not None:
                    parts.append(where)
            for text in s["holds"]:
                c = comparison(text, lambda n: self.resolve(n, t))
                if c is not None and (living is None or variables(c) & set(t.locals) <= living):
                    parts.append(c)
            out.append(conj(*parts))
            common = set(parts) if common is None else common & set(parts)
        whole = disj(*out) if len(record["states"]) <= STATES else TRUE
        return whole, common or set()

    def candidates(self):
        """For each thread and node a list of guesses."""
        self.place_labels()
        known_states, records = {}, {}
        for r in self.data["threads"]:
            t = self.threads.get(r["thread"])
            if t is not None:
                for i in r["invariants"]:
                    known_states[i["at"]], records[i["at"]] = self.states(t, i), i
        self.written_by = {}
        for t in self.p.threads:
            for v in (v for e in t.edges for v in e.updates):
                self.written_by.setdefault(v, set()).update({t.name, t.name + "'"} if t.many else {t.name})
        main = self.p.threads[0]
        alone = self.alone(main)
        early = disj(*[eq(var(pc(main)), num(n)) for n in sorted(alone)])
        with_proof = {r["thread"] for r in self.data["threads"]}
        out = {}
        for t in self.p.threads:
            sets = value_sets(t)
            facts = local_facts(t, set(self.p.globals), {} if t.many else self.own_starts(t))
            for n in {0, t.entry, t.end} | {n for e in t.edges for n in (e.src, e.dst)}:
                guesses = []
                for labels in (self.forward.get((t.name, n), set()), self.backward.get((t.name, n), set())):
                    if not labels or t.name not in with_proof:
                        continue
                    found = [known_states.get(l, (FALSE, set())) for l in sorted(labels)]
                    # A thread that comes by several ways remembers by which.
                    ways = [eq(var(v), num(x)) for v in sorted(t.live.get(n, ())) if len(sets.get(v, ())) in (2, 3) for x in sorted(sets[v])]
                    guesses += [disj(neg(w), f[0]) for w in ways[:9] for f in found if f[0] not in (TRUE, FALSE)]
                    living = self.living(t, n, facts.get(n) or ())
                    if any(variables(f[0]) & set(t.locals) - living for f in found):
                        guesses += [self.states(t, records[l], living)[0] for l in sorted(labels) if l in records]
                    guesses += [disj(*[f[0] for f in found]), *[f[0] for f in found]]
                    for f in found:
                        guesses += sorted(f[1], key=repr)
                    guesses += [disj(neg(g), f[0]) for l, f in zip(sorted(labels), found) for g in self.goes_on(t, n, l)]
                if n == 0 or t.many and n == t.entry:
                    guesses += [disj(early, g) for g in guesses]
                if n in t.errors:
                    guesses = [FALSE]
                if n and t.name != "main":
                    guesses.append(eq(var(f"started:{t.name}"), num(1)))
                guesses += sorted(facts.get(n) or set(), key=repr)
                out[t.name, n] = unique(guesses)
        # What holds before a step may hold after it.
        before = {key: [g for g in gs if size(g) < 16] for key, gs in out.items()}
        for t in self.p.threads:
            for e in t.edges:
                if e.dst not in t.errors and e.src != e.dst and t.name in with_proof:
                    out[t.name, e.dst] = unique([*out[t.name, e.dst], *before[t.name, e.src]])
        self.of_main(main, alone, out)
        limits = self.limits()
        for t in self.p.threads:
            sets = value_sets(t)
            for n in {n for (name, n) in out if name == t.name and n not in t.errors}:
                few = list(limits)
                # What was read from there is within them, too.
                for v, x in sorted({(v, x.args[0]) for e in t.edges for v, x in e.updates.items() if x.op == "v" and v in t.live.get(n, ())}):
                    few += [subst(c, {x: var(v)}) for c in limits if x in variables(c)]
                few += [disj(*[eq(var(v), num(x)) for x in sorted(sets[v])]) for v in sorted(sets) if v in t.live.get(n, ())]
                out[t.name, n] = unique([*out[t.name, n], *self.counted(), *few])
        return out

    def limits(self):
        """Bounds of shared variables by numbers that values read from them are compared with."""
        out = set()
        for e in (e for t in self.p.threads for e in t.edges):
            for c in e.guard.args if e.guard.op == "and" else (e.guard,):
                c = c.args[0] if c.op == "not" else c
                if c.op in ("=", "<=", "<") and {a.op for a in c.args} == {"v", "n"}:
                    v, k = sorted(c.args, key=lambda a: a.op == "n")
                    if v.args[0] in self.p.start and not v.args[0].startswith("pc:") and abs(k.args[0]) < 1 << 31:
                        out |= {le(v, k), le(k, v)}
        return sorted(out, key=repr) if len(out) <= 24 else []

    def counted(self):
        """That a variable is what a ghost counts its changes to be."""
        out = set()
        for e in (e for t in self.p.threads for e in t.edges):
            for g, up in e.updates.items():
                for v, x in e.updates.items():
                    by = [y for y in (x.args if x.op in "+-" else ()) if y.op == "n"]
                    if g.startswith("ghost:") and up.op == "+" and v in self.p.start and v != g and by and self.p.start[v] is not None:
                        step = by[0].args[0] * (-1 if x.op == "-" else 1)
                        out.add(eq(var(v), add(num(self.p.start[v]), mul(num(step), var(g)))))
        return sorted(out, key=repr)

    def living(self, t, n, facts):
        """Locals whose values are used later, and those that are known to be equal to one."""
        out = set(t.live.get(n, ())) | {f"{t.name}::self"}
        for _ in range(3):
            for f in facts:
                if f.op == "=" and f.args[0].op == "v" and f.args[1].op == "v" and variables(f) & out:
                    out |= variables(f)
        return out

    def goes_on(self, t, n, label):
        """The thread's own condition for going on from a node with a step from a location."""
        mine = set(t.locals) | {v for v in self.p.globals if self.written_by.get(v, {t.name}) == {t.name}}
        found = [e for e in t.edges if e.src == n and any(k in self.main_keys.get(label, ()) for k, _ in e.keys)]
        parts = [conj(*[c for c in (e.guard.args if e.guard.op == "and" else (e.guard,)) if variables(c) <= mine]) for e in found]
        return [disj(*parts)] if parts and disj(*parts) is not TRUE else []

    def own_starts(self, t):
        """Start values of the shared variables that only this thread writes."""
        written = {v for u in self.p.threads if u is not t for e in u.edges for v in e.updates}
        return {v: x for v, x in self.p.start.items() if x is not None and v not in written and v.split(":")[0] != "pc"}

    def alone(self, main):
        """Nodes of `main` before it creates anything."""
        from graph import reachable

        creates = [e for e in main.edges if any(v.startswith("started:") for v in e.writes)]
        after = set()
        for e in creates:
            after |= reachable(main, [e.dst])
        return reachable(main, [main.entry]) - after

    def of_main(self, main, alone, out):
        """Before `main` creates anything, nobody else is there and variables have the values that it gave them."""
        starts = {v: x for v, x in self.p.start.items() if x is not None and v != pc(main)}
        facts = local_facts(main, set(self.p.globals) - {pc(main)}, starts, alone)
        for n in {n for (name, n) in out if name == main.name}:
            more = list(facts.get(n) or ()) if n in alone else []
            for t in self.p.threads[1:]:
                more += [eq(var(f"started:{t.name}"), num(k)) for k in (0, 1)]
                if not t.many:
                    more += [eq(var(pc(t)), num(0))]
            out[main.name, n] = unique(out[main.name, n] + sorted(more, key=repr))


def unique(guesses):
    """Parts of conjunctions are guesses of their own."""
    out = []
    for g in guesses:
        for part in g.args if g.op == "and" else (g,):
            if part is not TRUE and part not in out:
                out.append(part)
    return out


def local_facts(t, tracked, start, within=None):
    """Equalities and tests that steps leave behind, by walking along the steps as if nobody else did anything. `tracked`:
    shared variables that they may speak of; `start`: values of them at the entry; `within`: nodes to go from."""
    mine = set(t.locals) | tracked
    facts = {t.entry: frozenset(eq(var(v), num(x)) for v, x in start.items() if v in tracked)}
    for _ in range(60):
        changed = False
        for e in t.edges:
            if facts.get(e.src) is None or within is not None and e.src not in within:
                continue
            new = set()
            for f in facts[e.src]:
                # What it becomes, where values are taken over.
                g = subst(f, {}) if not variables(f) & set(e.updates) else None
                if g is not None:
                    new.add(g)
            known_here = {f.args[0].args[0]: f.args[1] for f in facts[e.src] if f.op == "=" and f.args[0].op == "v" and f.args[1].op == "n"}
            by_value = {}
            for v, x in e.updates.items():
                if v not in mine:
                    continue
                y = subst(x, known_here)
                by_value.setdefault(y, []).append(v)
                for z in {x, y}:
                    if variables(z) <= mine and not variables(z) & set(e.updates) and size(z) < 12:
                        new.add(eq(var(v), z))
            for vs in by_value.values():
                new |= {eq(var(a), var(b)) for a in vs for b in vs if a < b}
            back = {x: var(v + "!") for v, x in e.updates.items() if x.op != "n" and v in mine}
            strip = {v + "!": var(v) for v in e.updates}
            allowed = mine | set(strip)
            for v, x in e.updates.items():
                z = replace(x, {k: w for k, w in back.items() if k is not x})
                if v in mine and z is not x and variables(z) <= allowed and not variables(z) & set(e.updates) and size(z) < 12:
                    new.add(eq(var(v), subst(z, strip)))
            parts = e.guard.args if e.guard.op == "and" else (e.guard,)
            for c in parts:
                if variables(c) and variables(c) <= mine and not variables(c) & set(e.updates) and size(c) < 12:
                    new.add(c)
                # What is tested was just stored.
                swapped = replace(c, back)
                if swapped is not c and variables(swapped) <= allowed and not variables(swapped) & set(e.updates) and size(swapped) < 12:
                    new.add(subst(swapped, strip))
            new.discard(TRUE)
            old = facts.get(e.dst)
            joined = frozenset(new) if old is None else frozenset(old & new)
            if joined != old:
                facts[e.dst] = joined
                changed = True
        if not changed:
            break
    return facts


def replace(t, parts):
    """The term with other terms for some of its parts."""
    if t in parts:
        return parts[t]
    return t if t.op in ("n", "v") or not t.args else BUILD[t.op](*[replace(a, parts) for a in t.args])


def value_sets(t):
    """Of locals that are set to few numbers only: which."""
    sets = {v: set() for v in t.locals}
    for _ in range(8):
        for e in t.edges:
            for v, x in e.updates.items():
                if v in sets:
                    new = {x.args[0]} if x.op == "n" else sets.get(x.args[0]) if x.op == "v" else None
                    if new is None or len(sets[v] | new) > 6:
                        del sets[v]
                    else:
                        sets[v] |= new
    return {v: s for v, s in sets.items() if len(s) > 1}


def size(t):
    return 1 + sum(size(a) for a in t.args if hasattr(a, "args"))
