"""Checks a certificate of a rely-guarantee proof against a C source: see docs/CHECKER.md.

usage: scripts/independent-check PROOF FILE.c [--ignore-hash] [-D NAME[=VALUE]] [--timeout SECONDS] [-v]

Exit status: 0 accepted, 1 rejected, 2 refused or usage.
"""
import argparse
import glob
import hashlib
import json
import pathlib
import sys
import time

import clang.cindex as ci

from certificate import Guesses, Unreadable
from front import Program, Refused
from graph import finish
from prove import intervals, Problem, Search, cvc5_answers, obligations, z3_answers

OPTIONS = {"atomicity": ("access", "statement"), "integers": ("machine", "ideal"), "signed": ("assume", "wrap"), "property": ("assertions",),
           "check_memory": (False,), "leaks": (False,), "data_model": ("lp64",), "threads": ([],), "reads_in_any_order": (False,),
           "deadlock": (False,), "max_threads": (None,)}


def refuse(why):
    print(f"refused: {why}")
    return 2


def read(path, text):
    data = json.loads(text)
    if data.get("format") != "relyant-certificate" or data.get("version") not in (2, 3) or "kind" in data:
        raise Unreadable("it is no certificate of version 2 or 3 about assertions")
    if data["rule"] not in ("rely-guarantee", "owicki-gries"):
        raise Unreadable(f"proofs by the rule {data['rule']} are not covered")
    if data.get("order") is not None:
        raise Unreadable("proofs in an order of preference are not covered")
    for name, values in OPTIONS.items():
        if data["options"].get(name) not in values:
            raise Unreadable(f"the option {name}: {data['options'].get(name)} is not covered")
    return data


def parse(file, data, more):
    p = data["options"]["preprocessing"]
    args = ["-std=gnu11", "-ferror-limit=5", "-Wno-everything", *[f"-D{d}" for d in [*p["define"], *more]], *[f"-U{u}" for u in p["undefine"]], *[f"-I{i}" for i in p["include"]]]
    # The compiler's own headers: libclang's package has none.
    found = sorted(glob.glob("/usr/lib/gcc/*/*/include/stddef.h") + glob.glob("/usr/lib/llvm-*/lib/clang/*/include/stddef.h"))
    args += [a for f in found[-1:] for a in ("-isystem", str(pathlib.Path(f).parent))]
    unit = ci.Index.create().parse(str(file), args=args)
    bad = [d for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
    if bad:
        raise Refused(None, f"libclang: {bad[0].location.file}:{bad[0].location.line}:{bad[0].location.column}: {bad[0].spelling}")
    return unit


def same_bytes(unit, file, data):
    """Are the sources the ones that the certificate is about?"""
    digest = lambda p: hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest()
    wanted = [s["sha256"] for s in data["sources"]]
    mine = sorted({digest(i.include.name) for i in unit.get_includes() if not i.include.name.startswith("/usr/")})
    return wanted == [digest(file)] and sorted({s["sha256"] for s in data["includes"]}) == mine


def check(args):
    started = time.monotonic()
    data = read(args.proof, args.proof.read_text())
    unit = parse(args.file, data, args.define)
    if not args.ignore_hash and not same_bytes(unit, args.file, data):
        print("rejected: the certificate is about another source (the SHA-256 differs)")
        return 1
    order = {}
    for l in data["locations"]:
        order.setdefault(l["thread"], int(l["id"].split(".")[0]))
    options = {**data["options"]}
    program = Program(unit, options, order)
    program.lower()
    label = options["exclusive"]
    if label is not None and not any(label in ls for t in program.threads for ls in t.labels.values()):
        raise Refused(None, f"there is no label `{label}`")
    if label is None and not any(t.errors for t in program.threads):
        raise Refused(None, "there is nothing to check: no assertion and no error")
    guesses = Guesses(program, data)
    guesses.add_ghosts()
    finish(program)
    first, narrow = guesses.candidates(), intervals(program)
    while True:
        problem = Problem(program, first, narrow)
        search = Search(problem)
        if args.verbose:
            show(program, guesses, problem)
        search.run()
        wide = search.wide()
        if args.verbose:
            print("bounds:", narrow, "too narrow:", wide)
        if not wide:
            break
        narrow = {v: b for v, b in narrow.items() if v not in wide}
    if args.verbose:
        print(f"dropped {search.dropped} guesses")
        show(program, guesses, problem)
    scripts = obligations(problem)
    middle = time.monotonic()
    bad, count = [], 0
    for s in scripts:
        text = s.text()
        for name, ask in (("Z3", z3_answers), ("cvc5", cvc5_answers)):
            answers = ask(text, args.timeout)
            if len(answers) != len(s.titles):
                bad.append(f"{name}: {' '.join(answers)[:200]}")
            bad += [f"{name}: {t}: {a}" for t, a in zip(s.titles, answers) if a != "unsat"]
        count += len(s.titles)
        if bad and not args.verbose:
            break
    done = time.monotonic()
    for b in bad[:10 if args.verbose else 1]:
        print(f"{'rejected' if not data['tickets'] else 'open'}: {b}")
    if bad and data["tickets"]:
        return refuse(f"{args.proof}: claims about tickets are not covered, and without them it is no proof")
    if bad:
        return 1
    print(f"accepted: {count} obligations hold, by Z3 and by cvc5, in {done - started:.1f} s ({middle - started:.1f} s before)")
    return 0


def show(program, guesses, problem):
    from terms import smt
    for t in program.threads:
        print(f"thread {t.name}{' (many)' if t.many else ''}: number {t.number}, entry {t.entry}, end {t.end}, errors {t.errors}")
        for n in problem.nodes[t.name]:
            print(f"  node {n} {sorted(guesses.forward[t.name, n])} {sorted(guesses.backward[t.name, n])}")
            for c in problem.holds[t.name, n]:
                text = smt(c)
                print(f"      {text[:300]}{f' … {len(text)}' if len(text) > 300 else ''}")
        for k, e in enumerate(t.edges):
            print(f"  step {k}: {e.src} -> {e.dst} {e.guard} {e.updates}")


def run(words):
    parser = argparse.ArgumentParser(description="Checks a rely-guarantee proof against a C source, on its own.")
    parser.add_argument("proof", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--ignore-hash", action="store_true", help="the source need not be the one that the proof is about")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each obligation")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args(words)
    sys.setrecursionlimit(100_000)
    try:
        return check(args)
    except Refused as e:
        return refuse(e)
    except Unreadable as e:
        return refuse(f"{args.proof}: {e}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as e:
        if args.verbose:
            raise
        return refuse(f"{args.proof}: {type(e).__name__}: {e}")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
