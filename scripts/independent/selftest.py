"""The checker's own test: programs of `cases.py` with certificates that hope for the best. usage: selftest.py"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import main as checker
from cases import MEANING, REFUSED, THREADS, alone
from prove import Problem, Search

def certificate(guesses):
    """The same guesses for all places of a thread."""
    names = ["main", *sorted(n for n in guesses if n != "main")]
    options = {"atomicity": "access", "integers": "machine", "signed": "assume", "property": "assertions", "check_memory": False, "leaks": False,
               "data_model": "lp64", "threads": [], "exclusive": None, "reads_in_any_order": False, "error_labels": [], "deadlock": False,
               "max_threads": None, "max_objects": None, "preprocessing": {"define": [], "undefine": [], "include": []}}
    return {"format": "relyant-certificate", "version": 3, "tool": "test", "sources": [], "includes": [], "options": options, "program": "",
            "rule": "rely-guarantee", "modular": False, "tickets": [], "global": [],
            "locations": [{"id": f"{k}.0", "thread": n, "file": "", "line": 0, "column": 0} for k, n in enumerate(names)],
            "threads": [{"thread": n, "environment": [], "invariants": [{"at": f"{k}.0", "states": [{"others": [], "holds": guesses[n]}]}]}
                        for k, n in enumerate(names) if n in guesses],
            "source": {"entries": [f"{k}.0" for k in range(len(names))], "steps": [], "locals": [], "ghosts": []}}


class Partly(Problem):
    """What is asked of a problem, but for one kind of obligation."""

    def __init__(self, q, left_out):
        self.__dict__, self.left_out = dict(q.__dict__), left_out

    def without(self, kind, obligation):
        assume, goals, updates = obligation
        return assume, [] if self.left_out == kind else goals, updates

    def start(self, t):
        return self.without("start", super().start(t))

    def step(self, t, e):
        return self.without("step", super().step(t, e))

    def creation(self, t):
        return [(e, self.without("creation", o)) for e, o in super().creation(t)]

    def stable(self, t, j):
        return None if self.left_out == ("copies" if t is j else "others") else super().stable(t, j)


def lazy(left_out):
    """A search that leaves guesses as they are where it should not. Nothing of a search is trusted."""
    class Lazy(Search):
        def __init__(self, problem):
            super().__init__(Partly(problem, left_out))

        def wide(self):
            return set() if left_out == "wide" else super().wide()
    return Lazy


def run(job):
    """Exit status and output of the checker."""
    number, text, guesses, folder, left_out = job
    checker.Search = lazy(left_out) if left_out else Search
    c, proof = folder / f"{number}.c", folder / f"{number}.json"
    c.write_text(text)
    proof.write_text(json.dumps(certificate(guesses)))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = checker.run([str(proof), str(c), "--ignore-hash"])
    return status, said.getvalue()


def main():
    tests = [(s, alone(s), {}, 0 if ok else 1, "") for s, ok in MEANING]
    tests += [(name, text, guesses, {True: 0, False: 1, None: None}[ok], "") for name, text, guesses, ok in THREADS]
    tests += [(text.splitlines()[-3][:60], text, {}, 2, why) for text, why in REFUSED]
    kinds = lambda text: ("start", "creation", "copies" if "while (1)" in text else "others") if "pthread_create" in text else ("step", "wide")
    wrong = [(f"{name}, searched without {kind}", text, guesses, (kind,), "") for name, text, guesses, status, _ in tests if status == 1
             for kind in kinds(text)]
    bad, tests = 0, tests + wrong
    with tempfile.TemporaryDirectory() as d, ProcessPoolExecutor(2) as pool:
        # The kind that is left out stands in the place of the status: anything but accepted is right then.
        jobs = [(k, text, guesses, pathlib.Path(d), wanted[0] if isinstance(wanted, tuple) else None)
                for k, (_, text, guesses, wanted, _) in enumerate(tests)]
        for (name, _, _, wanted, why), (status, said) in zip(tests, pool.map(run, jobs)):
            if isinstance(wanted, tuple):
                wanted = status or "not 0"
            if wanted is not None and status != wanted or why not in said:
                bad += 1
                print(f"FAILED: {name}: status {status}, expected {wanted}: {said.strip()[-300:]}")
    print(f"independent checker: {len(tests) - bad} of {len(tests)} as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
