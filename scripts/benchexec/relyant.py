"""BenchExec's view of Relyant. With the project's root in PYTHONPATH: `tool="scripts.benchexec.relyant"`."""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import ToolNotFoundException, UnsupportedFeatureException

VERDICTS = {
    "true": result.RESULT_TRUE_PROP,
    "false(unreach-call)": result.RESULT_FALSE_REACH,
    "false(no-overflow)": result.RESULT_FALSE_OVERFLOW,
    "false(no-data-race)": result.RESULT_FALSE_DATARACE,
    "false(no-deadlock)": result.RESULT_FALSE_DEADLOCK,
    "false(valid-deref)": result.RESULT_FALSE_DEREF,
    "false(valid-free)": result.RESULT_FALSE_FREE,
    "false(valid-memtrack)": result.RESULT_FALSE_MEMTRACK,
    "unknown": result.RESULT_UNKNOWN,
}

# Arguments for the data models of task definitions.
DATA_MODELS = {"ILP32": ["--ilp32"], "LP64": []}


class Tool(benchexec.tools.template.BaseTool2):
    """
    Relyant proves C programs with threads safe, or shows a run that is not.
    Options of the benchmark definition are passed on, `--witness witness.yml` for example.
    """

    def name(self):
        return "Relyant"

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable("relyant")
        except ToolNotFoundException:
            # In the project's folder.
            return tool_locator.find_executable("relyant", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="relyant")

    def cmdline(self, executable, options, task, rlimits):
        cmd = [executable, "verify", "--verdict-words"]
        model = (task.options or {}).get("data_model")
        if model is not None:
            if model not in DATA_MODELS:
                raise UnsupportedFeatureException(f"Unsupported data model {model}")
            cmd += DATA_MODELS[model]
        language = (task.options or {}).get("language", "C")
        if language != "C":
            raise UnsupportedFeatureException(f"Unsupported language {language}")
        if task.property_file:
            cmd += ["--property", task.property_file]
        # CPU time needs no flag: at its soft limit comes SIGTERM, after which a verdict is printed.
        # At the other limits the process is killed, so it is told to end a little before.
        if rlimits.walltime:
            cmd += ["--timeout", str(max(1, rlimits.walltime - 5))]
        if rlimits.memory:
            cmd += ["--memory", str(max(1, rlimits.memory * 9 // 10 // 2**20))]
        first, *more = task.input_files
        for file in more:
            cmd += ["--with", file]
        return cmd + list(options) + [first]

    def determine_result(self, run):
        last = run.output[-1].strip() if run.output else ""
        if run.exit_code.signal is not None:
            return result.RESULT_ERROR
        if run.exit_code.value == 2:
            # Refused: not supported, or no C.
            return f"{result.RESULT_ERROR} (unsupported)"
        return VERDICTS.get(last, result.RESULT_ERROR)
