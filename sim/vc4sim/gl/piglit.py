"""Piglit, the conformance tests of Mesa, as Debian packages them."""

import ast
import gzip
import json
import os
import re
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..problem import BadInput
from .server import Server

__all__ = ["Outcome", "Test", "Verdict", "default_home", "find_tests", "run_test"]

_PROFILES = ("quick_shader", "quick_gl")
#: What a driver for this GPU offers: versions of OpenGL, OpenGL ES, GLSL and GLSL ES.
_MOST_GL, _MOST_ES, _MOST_GLSL, _MOST_GLSL_ES = 2.1, 2.0, 1.2, 1.0
_OTHER_WINDOWS = ("glx@", "wgl@")
_VERSION = re.compile(r"spec@(!opengl|glsl)([ -]es)?[ -](\d+\.\d+)")
_RESULT = re.compile(r"^PIGLIT: (\{.*\})", re.MULTILINE)


class Verdict(StrEnum):
    """How a test ends."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"
    CRASH = "crash"
    TIMEOUT = "timeout"


class _Late(BaseException):
    """Too much time has been taken; nobody who handles errors handles this."""


@dataclass(frozen=True)
class Test:
    """A program with its arguments.

    name : as piglit's profiles have it
    command : the program, in piglit's folder of programs, and its arguments
    windowed : it draws into a window, not into a frame buffer object
    """

    name: str
    command: tuple[str, ...]
    windowed: bool


@dataclass(frozen=True)
class Outcome:
    """How a test has ended.

    verdicts : of its subtests, by their full names, and last its own
    log : what it has written
    """

    verdicts: Mapping[str, Verdict]
    log: str


def default_home() -> Path:
    """Where Debian has it, or would have it."""
    return next(Path("/usr/lib").glob("*/piglit"), Path("/usr/lib/piglit"))


def find_tests(home: Path) -> list[Test]:
    """Those of the quick profiles of the piglit in `home` that ask for no more than OpenGL 2.1 or OpenGL ES 2.0.

    Packages leave out some programs, whose tests are not found. Raises `BadInput` if there is no piglit.
    """
    tests, programs = [], {path.name for path in (home / "bin").glob("*")}
    for profile in _PROFILES:
        path = home / "tests" / f"{profile}.xml.gz"
        if not path.exists():
            raise BadInput(f"there is no {path}: apt-get install piglit")
        with gzip.open(path) as file:
            for element in ET.parse(file).getroot():
                values = {option.get("name"): ast.literal_eval(option.get("value") or "None") for option in element}
                name, command = element.get("name") or "", tuple(map(str, values["command"]))
                if element.get("type") == "gl_builtin":
                    command = command[0], f"tests/{command[1]}"
                if command[0] in programs and _is_offered(name, values):
                    tests.append(Test(name, command, not values["run_concurrent"]))
    return tests


def _is_offered(name: str, values: Mapping[str | None, object]) -> bool:
    is_es = values.get("api") == "gles2"
    glsl, api = float(str(values.get("shader_version", 0))), float(str(values.get("api_version", 0)))
    if (
        name.startswith(_OTHER_WINDOWS)
        or glsl > (_MOST_GLSL_ES if is_es else _MOST_GLSL)
        or api > (_MOST_ES if is_es else _MOST_GL)
    ):
        return False
    if not (match := _VERSION.match(name)):
        return True
    most = {("!opengl", False): _MOST_GL, ("!opengl", True): _MOST_ES, ("glsl", False): _MOST_GLSL}
    return float(match[3]) <= most.get((match[1], bool(match[2])), _MOST_GLSL_ES)


def run_test(test: Test, home: Path, environment: Mapping[str, str], server: Server, limit: float) -> Outcome:
    """Run a test of the piglit in `home` for at most `limit` seconds; `server` answers its calls. From the main thread only.

    It is killed when it has taken too long.
    """
    variables = {**environment, "PIGLIT_SOURCE_DIR": str(home)}
    command = [str(home / "bin" / test.command[0]), *test.command[1:], "-auto", *["-fbo"] * (not test.windowed)]
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        program = subprocess.Popen(
            command, env=variables, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        is_late = _within(limit, lambda: server.serve(program.pid))
        if is_late:
            os.killpg(program.pid, signal.SIGKILL)
        status = program.wait()
        log.seek(0)
        text = log.read()
    return Outcome(dict(_verdicts(test.name, text, status, is_late)), text)


def _within(limit: float, work: Callable[[], None]) -> bool:
    """Do something; returns whether it has been stopped because it takes more than `limit` seconds."""

    def stop(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        work()
    except _Late:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return False


def _verdicts(name: str, text: str, status: int, is_late: bool) -> Iterator[tuple[str, Verdict]]:
    whole = Verdict.TIMEOUT if is_late else Verdict.CRASH
    for line in _RESULT.findall(text):
        said = json.loads(line)
        for subtest, verdict in said.get("subtest", {}).items():
            yield f"{name}@{subtest}", Verdict(verdict)
        if "result" in said and not is_late and status >= 0:
            whole = Verdict(said["result"])
    yield name, whole
