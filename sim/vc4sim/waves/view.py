"""Writes what GTKWave shows of a VCD file: a save file beside it, with the signals that the file has, whoever wrote it."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from vcd.gtkw import GTKWColor, GTKWSave

from ..bench.probe import STAGE_SIGNALS
from .stages import STAGE_TITLES

__all__ = ["write_view"]

#: Pixels in which the whole run fits, and those of a frame: GTKWave shows 2 to the power of minus its zoom in each.
_PIXELS, _FRAME_PIXELS = 960, 200
_SIZE = (1600, 1000)
_NAMES_PIXELS = 320
#: Bytes at the end of a file in which its last time stands.
_TAIL = 1 << 16


@dataclass(frozen=True, slots=True)
class _Signal:
    """A signal of the file, or a piece of one: the names of the scopes around it, its own name, and its bits, if it has several."""

    scopes: tuple[str, ...]
    name: str
    bits: str

    @property
    def path(self) -> str:
        """As GTKWave calls it."""
        return f"{'.'.join((*self.scopes, self.name))}{self.bits}"


@dataclass(frozen=True, slots=True)
class _Kind:
    """Signals that belong together: patterns of the scope, from some scope on to the last, and of their names.

    There is a group for every scope that matches, unless only the `first` one is wanted.
    """

    title: str
    colour: GTKWColor
    scope: str
    names: str
    first: bool = False


_STREAM = "(valid|ready|payload)"
_STAGE = "|".join(STAGE_SIGNALS)
#: What is shown, from top to bottom.
_KINDS = (
    _Kind("clock", GTKWColor.normal, ".*", "clk|rst|cycles", first=True),
    *(_Kind(title, GTKWColor.green, "probe", f"{stage}_({_STAGE})") for stage, title in STAGE_TITLES.items()),
    _Kind("stall", GTKWColor.red, "probe", "stall"),
    _Kind(
        "{}",
        GTKWColor.green,
        r"qpu\d+",
        "trace__(running|slot_end|sp_valid|sp_pc|stall)|host_interrupt|halted|r4_vector",
    ),
    _Kind("{}", GTKWColor.yellow, r"qpu\d+\.file_[ab]", "(ra|wb)_(register|quad|data|enables)|ra2_data"),
    _Kind("{} accumulators", GTKWColor.yellow, r"qpu\d+\.accumulators", r"quad|ru_(names|rotation)|rr_values|r5_\d"),
    _Kind("{} flags", GTKWColor.orange, r"qpu\d+\.flags", "held.*|flags|write.*|quad"),
    _Kind("{} SFU", GTKWColor.violet, r"qpu\d+", f"sfu__(busy|requests__{_STREAM}|result(_stb)?)"),
    _Kind("{} VPM", GTKWColor.indigo, r"qpu\d+", f"vpm__(reads|writes)__{_STREAM}"),
    _Kind("{} TMU", GTKWColor.blue, r"qpu\d+", "tmu\\d__.*"),
    _Kind("{}", GTKWColor.blue, r"tmu\d+", f"bus__(requests|responses)__{_STREAM}|clients?__.*"),
    _Kind(
        "VPM",
        GTKWColor.indigo,
        r"vpm\d*",
        f"(writes|reads|loads|stores)__{_STREAM}|(load|store)_busy|errors",
        first=True,
    ),
    _Kind("CLE {}", GTKWColor.violet, r"cle\.(binning|rendering)", f"o__{_STREAM}|state|busy|finished|done"),
    _Kind(
        "VCM {}",
        GTKWColor.yellow,
        r"vcm\.(binning|rendering)",
        f"(i|o|request|header|batches|space)__{_STREAM}|state|abandons|busy|stalled|waits",
    ),
    _Kind("VPM rows", GTKWColor.indigo, r"vcm\.vpm_allocator", f"(i__\\d|o|freed)__{_STREAM}|state|place|count|waits"),
    _Kind(
        "VCD",
        GTKWColor.blue,
        r"vcm\.vcd(\.vertex_units)?",
        f"(i|o|writes|port__(requests|responses))__{_STREAM}|stalled|done",
    ),
    _Kind("shading", GTKWColor.green, r"vcm\.shading", f"(i|o)__{_STREAM}|qpus__.*|over_\\d+"),
    _Kind(
        "AXI4-Lite",
        GTKWColor.orange,
        "top|v3d",
        "s_axil__(aw|w|b|ar|r)(addr|data|strb|resp|valid|ready)|irq",
        first=True,
    ),
    _Kind("memory", GTKWColor.red, "top|v3d", f"bus__(requests|writes|responses)__{_STREAM}", first=True),
)


def write_view(vcd: Path) -> None:
    """Write the save file for `vcd`, whose name is the same but for the suffix `.gtkw`.

    It shows the whole run, in groups, coloured by what they belong to.
    """
    signals, end = _signals(vcd), _last_time(vcd)
    with vcd.with_suffix(".gtkw").open("w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.dumpfile(str(vcd))
        save.dumpfile_size(vcd.stat().st_size)
        save.timestart(0)
        save.size(*_SIZE)
        save.zoom_markers(-math.log2(max(end * _FRAME_PIXELS / _PIXELS, 1)))
        save.signals_width(_NAMES_PIXELS)
        for title, colour, group in _groups(signals):
            with save.group(title):
                for signal in group:
                    save.trace(signal.path, color=colour, alias=signal.name.replace("__", ".") + signal.bits)


def _groups(signals: list[_Signal]) -> Iterator[tuple[str, GTKWColor, list[_Signal]]]:
    """Titles, colours and signals of the groups, none of them empty."""
    for kind in _KINDS:
        scope, names = (re.compile(rf"(.*\.)?({pattern})(\$\d+)?") for pattern in (kind.scope, kind.names))
        found = [
            signal for signal in signals if names.fullmatch(signal.name) and scope.fullmatch(".".join(signal.scopes))
        ]
        for scopes, group in groupby(found, key=lambda signal: signal.scopes):
            place = " ".join(
                name for name in scopes if re.fullmatch(r"(slice|qpu|tmu)\d+|file_[ab]|binning|rendering", name)
            )
            yield kind.title.format(place), kind.colour, list(group)
            if kind.first:
                break


def _signals(vcd: Path) -> list[_Signal]:
    """The signals of the file whose names need no escapes, those of a scope together and of outer ones first."""
    found: dict[str, _Signal] = {}
    scopes: list[str] = []
    with vcd.open(encoding="ascii") as file:
        for line in file:
            match line.split():
                case ["$scope", _, name, "$end"]:
                    scopes.append(name)
                case ["$upscope", "$end"]:
                    scopes.pop()
                case ["$var", kind, width, _, name, *bits, "$end"] if re.fullmatch(r"\w+", name):
                    whole = [] if kind == "string" or width == "1" else [f"[{int(width) - 1}:0]"]
                    signal = _Signal(tuple(scopes), name, "".join(bits or whole))
                    found.setdefault(signal.path, signal)
                case ["$enddefinitions", "$end"]:
                    break
    return sorted(found.values(), key=lambda signal: (len(signal.scopes), signal.scopes))


def _last_time(vcd: Path) -> int:
    with vcd.open("rb") as file:
        file.seek(max(0, vcd.stat().st_size - _TAIL))
        times = re.findall(rb"^#(\d+)", file.read(), re.MULTILINE)
    return int(times[-1]) if times else 1
