"""Each task's expected verdict is what the module reads off the tool's output for it."""

import glob
import os
import sys

import benchexec.tools.template as template
import benchexec.util as util
import yaml

from scripts.benchexec.relyant import Tool

folder, logs = sys.argv[1], os.environ["BENCHEXEC_LOGS"]
wrong = 0
names = sorted(glob.glob(os.path.join(folder, "*.yml")))
for name in names:
    with open(name) as f:
        expected = [p["expected_verdict"] for p in yaml.safe_load(f)["properties"]]
    with open(os.path.join(logs, os.path.basename(name)[:-4] + ".log")) as f:
        output = template.BaseTool2.RunOutput(f.readlines())
    code = util.ProcessExitCode.create(value=0 if expected[0] else 1)
    status = Tool().determine_result(template.BaseTool2.Run(["relyant"], code, output, None))
    if status.startswith("true") != expected[0] or status.startswith("false") == expected[0]:
        print(f"{name}: {status}, expected {expected[0]}", file=sys.stderr)
        wrong += 1
print(f"{len(names) - wrong} of {len(names)} tasks have the verdict that they expect")
sys.exit(1 if wrong or not names else 0)
