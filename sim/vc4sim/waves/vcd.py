"""Reads what went through the pipeline out of a VCD file that a run has written."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from amaranth.lib import data

from vc4.isa.registers import QUADS
from vc4.qpu.pipeline import STAGES, StageState

from ..bench.probe import SP, STAGE_SIGNALS, instruction_text, stall_text
from ..problem import BadInput
from .stages import STAGE_TITLES

__all__ = ["Passage", "PipelineWaves", "read_pipeline"]

_SCOPE = "probe"
_CLOCK = "clk"
_STALL = "stall"
#: What a change of one bit begins with, and the values of other changes by what they begin with.
#: Files of CXXRTL have the first QPU itself, in pieces, each with its bits after its name.
_QPU = ["qpu0"]
_PIPELINE = [*_QPU, "pipeline"]
_TRACE = ("trace__stall", "trace__running", "trace__slot_end", "trace__sp_valid", "trace__sp_pc")
_STATE = data.Layout.cast(StageState)
_PIECE = re.compile(r"(\w+)\[(?:\d+:)?(\d+)\]")
_BITS = ("0", "1", "x", "z")
_VALUES: dict[str, Callable[[str], int | str]] = {
    "b": lambda text: int(text, 2),
    "s": lambda text: text.encode().decode("unicode_escape"),  # spaces are escaped
}


@dataclass(frozen=True, slots=True)
class Passage:
    """An instruction on its way through a stage: its address, its text, and the clocks from `start` to before `end`."""

    pc: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PipelineWaves:
    """A run, clock by clock.

    clocks : how many there are
    stages : for each stage of `STAGE_TITLES`, what passed through, in order
    quads : for each clock, the quad in RA, or `None` if no instruction is there
    stalls : clocks in which a slot ended without an instruction, and why
    """

    clocks: int
    stages: dict[str, list[Passage]]
    quads: list[int | None]
    stalls: list[tuple[int, str]]


@dataclass(slots=True)
class _History:
    """The values of a signal: the times of the changes, and the values from then on."""

    times: list[int] = field(default_factory=list)
    values: list[int | str] = field(default_factory=list)

    def before(self, time: int) -> int | str:
        """The value just before `time`."""
        return self.values[max(0, bisect_left(self.times, time) - 1)]


def read_pipeline(path: Path) -> PipelineWaves:
    """The pipeline in the VCD file `path`; `BadInput` if this is no such file."""
    try:
        with path.open(encoding="ascii") as file:
            lines = (line.rstrip("\n") for line in file)
            histories = _changes(lines, _definitions(lines))
        _probe(histories)
        _check(path, histories)
        return _sampled(histories)
    except BadInput:
        raise
    except (ValueError, LookupError):
        raise BadInput(f"{path}: not a VCD file that can be read") from None


def _probe(histories: dict[str, _History]) -> None:
    """Puts the signals of the probe beside those of a QPU, if there is only that."""
    pieces: dict[str, list[tuple[int, _History]]] = {}
    for name, history in histories.items():
        if found := _PIECE.fullmatch(name):
            pieces.setdefault(found[1], []).append((int(found[2]), history))
    if not pieces:
        return
    whole = {name: _joined(parts) for name, parts in pieces.items()}
    stages = {stage: whole[stage] for stage in STAGES}
    for stage, source in stages.items():
        shown = [_shown(_STATE.from_bits(int(value))) for value in source.values]
        for name, values in zip(STAGE_SIGNALS, zip(*shown, strict=True), strict=True):
            histories[f"{stage}_{name}"] = _History(source.times, list(values))
    reasons = whole["trace__stall"]
    times = sorted({time for name in _TRACE for time in whole[name].times})
    texts = dict(zip(histories["ra_pc"].values, histories["ra_text"].values, strict=True))
    valid, address = ([int(whole[f"trace__sp_{name}"].before(time + 1)) for time in times] for name in ("valid", "pc"))
    shown = [(1, 0, pc, texts.get(pc, "")) if live else (0, 0, 0, "") for live, pc in zip(valid, address, strict=True)]
    for name, values in zip(STAGE_SIGNALS, zip(*shown, strict=True), strict=True):
        histories[f"{SP}_{name}"] = _History(times, list(values))
    waits = [min(int(whole[name].before(time + 1)) for name in ("trace__running", "trace__slot_end")) for time in times]
    texts = [stall_text(int(reasons.before(time + 1)) * wait) for time, wait in zip(times, waits, strict=True)]
    histories[_STALL] = _History(times, texts)


def _joined(parts: list[tuple[int, _History]]) -> _History:
    """A signal out of pieces, each with its lowest bit."""
    times = sorted({time for _, part in parts for time in part.times})
    values = [sum(int(part.before(time + 1)) << low for low, part in parts) for time in times]
    return _History(times, values)


def _shown(state) -> tuple[int, int, int, str]:
    """What the probe shows of a stage."""
    if not (state.live and state.issued.retires):
        return 0, 0, 0, ""
    return 1, state.quad, state.issued.pc, instruction_text(state.issued.word)


def _check(path: Path, histories: dict[str, _History]) -> None:
    """All signals are there."""
    wanted = [_CLOCK, _STALL, *(f"{stage}_{name}" for stage in STAGE_TITLES for name in STAGE_SIGNALS)]
    missing = [name for name in wanted if name not in histories or not histories[name].values]
    if missing:
        raise BadInput(f"{path}: there is no signal {missing[0]}; files that vc4 run --waves writes have it")


def _definitions(lines: Iterator[str]) -> dict[str, str]:
    """The names of the clock and of all signals of the probe, by their codes; reads up to the end of the definitions."""
    names: dict[str, str] = {}
    scopes: list[str] = []
    for line in lines:
        match line.split():
            case ["$scope", _, name, "$end"]:
                scopes.append(name)
            case ["$upscope", "$end"]:
                scopes.pop()
            case ["$var", _, _, code, name, *bits, "$end"] if scopes == _QPU and name in _TRACE or scopes == _PIPELINE:
                names[code] = f"{name}{' '.join(bits) or '[0]'}"
            case ["$var", _, _, code, name, *_] if scopes[-1:] == [_SCOPE] or (name == _CLOCK and code not in names):
                names[code] = name
            case ["$enddefinitions", "$end"]:
                break
    return names


def _changes(lines: Iterator[str], names: dict[str, str]) -> dict[str, _History]:
    """The histories of the named signals."""
    histories = {name: _History() for name in names.values()}
    now = 0
    for line in lines:
        if line.startswith("#"):
            now = int(line[1:])
        elif line[:1] in _VALUES:
            value, _, code = line[1:].rpartition(" ")
            _append(histories, names, code, now, _VALUES[line[0]](value))
        elif line[:1] in _BITS:
            _append(histories, names, line[1:], now, int(line[0] == "1"))
    return histories


def _append(histories: dict[str, _History], names: dict[str, str], code: str, now: int, value: int | str) -> None:
    if code in names:
        history = histories[names[code]]
        history.times.append(now)
        history.values.append(value)


def _sampled(histories: dict[str, _History]) -> PipelineWaves:
    """All signals as they are at the end of each clock."""
    clock = histories[_CLOCK]
    edges = [time for time, value in zip(clock.times, clock.values, strict=True) if value == 1]
    # A file that begins with an edge shows after each edge what it leads to, and ends with the last clock.
    if edges[:1] == clock.times[:1]:
        edges = [*edges[1:], clock.times[-1] + 1]

    def numbers(name: str) -> Iterator[int]:
        return (int(histories[name].before(edge)) for edge in edges)

    def texts(name: str) -> Iterator[str]:
        return (str(histories[name].before(edge)) for edge in edges)

    def states(stage: str) -> Iterator[tuple[int, int, int, str]]:
        live, quad, pc, text = (f"{stage}_{name}" for name in STAGE_SIGNALS)
        return zip(numbers(live), numbers(quad), numbers(pc), texts(text), strict=True)

    stages = {stage: list(_passages(states(stage))) for stage in STAGE_TITLES}
    quads = [quad % QUADS if live else None for live, quad, _, _ in states("ra")]
    stalls = [(index, reason) for index, reason in enumerate(texts(_STALL)) if reason]
    return PipelineWaves(len(edges), stages, quads, stalls)


def _passages(states: Iterator[tuple[int, int, int, str]]) -> Iterator[Passage]:
    """Clocks of one instruction joined; it is a new one if the address is, or the quads begin again."""
    current: tuple[int, str, int] | None = None
    last_quad = index = -1
    for index, (live, quad, pc, text) in enumerate(states):
        goes_on = current is not None and live and pc == current[0] and quad >= last_quad
        if current is not None and not goes_on:
            yield Passage(*current, index)
            current = None
        if live and current is None:
            current = (pc, text, index)
        last_quad = quad
    if current is not None:
        yield Passage(*current, index + 1)
