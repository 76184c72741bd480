"""The checker's own test: programs of `cases.py` with certificates that hope for the best. usage: selftest.py"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

from cases import MEANING, REFUSED, THREADS, alone
from main import run as check

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


def run(job):
    """Exit status and output of the checker."""
    number, text, guesses, folder = job
    c, proof = folder / f"{number}.c", folder / f"{number}.json"
    c.write_text(text)
    proof.write_text(json.dumps(certificate(guesses)))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check([str(proof), str(c), "--ignore-hash"])
    return status, said.getvalue()


def main():
    tests = [(s, alone(s), {}, 0 if ok else 1, "") for s, ok in MEANING]
    tests += [(name, text, guesses, {True: 0, False: 1, None: None}[ok], "") for name, text, guesses, ok in THREADS]
    tests += [(text.splitlines()[-3][:60], text, {}, 2, why) for text, why in REFUSED]
    bad = 0
    with tempfile.TemporaryDirectory() as d, ProcessPoolExecutor(2) as pool:
        jobs = [(k, text, guesses, pathlib.Path(d)) for k, (_, text, guesses, _, _) in enumerate(tests)]
        for (name, _, _, wanted, why), (status, said) in zip(tests, pool.map(run, jobs)):
            if wanted is not None and status != wanted or why not in said:
                bad += 1
                print(f"FAILED: {name}: status {status}, expected {wanted}: {said.strip()[-300:]}")
    print(f"independent checker: {len(tests) - bad} of {len(tests)} as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
