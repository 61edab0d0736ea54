"""Queues between blocks whose levels a timeline shows: which these are, and the registers of the RTL that count what is in them.

They are found by their names when the hardware is simulated, so it has nothing for it. What simulators tell of them are records
`LEVELS`, see `retired`: the highest level of each in `LEVEL_CLOCKS` clocks, if any is another one than in those before.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from amaranth.hdl import Fragment, Signal

from vc4.config import V3DConfig
from vc4.fep.vector_structs import HELD_QUADS
from vc4.isa.registers import QUADS
from vc4.isa.timing import READ_AHEAD
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS, TMU_NAMES
from vc4.regs.scheduler import REQUESTS

from .hierarchy import register_at
from .retired import LEVELS, RECORD_WORDS
from .timed import record_of, rows_of

__all__ = [
    "LEVEL_CLOCKS",
    "QUEUES",
    "Level",
    "Peaks",
    "Queue",
    "access_text",
    "levels_of",
    "peaks_of",
    "ports_of",
    "signals_of",
]

#: Clocks of a record.
LEVEL_CLOCKS = 16
#: What a record has a byte for; a higher level is told as this one.
_MOST_LEVEL = 255
#: The part of the GPU that has all others.
_WHOLE = "v3d"


def _always(_config: V3DConfig) -> bool:
    return True


@dataclass(frozen=True)
class Queue:
    """A queue.

    name : of it; with `{tmu}` there is one for each name that programs have for texture units
    part : the block in which it is, which simulators may compile for itself, see `backends.parts`
    register : that counts what is in it: names of instances in that block, and its own, with numbers of a QPU and others in braces
    depth : places
    items : what is in them
    doc : what that waits for
    of_qpu : each QPU has one
    is_built : a configuration has it
    """

    name: str
    part: str
    register: str
    depth: int
    items: str
    doc: str
    of_qpu: bool = True
    is_built: Callable[[V3DConfig], bool] = _always


def _looks_up(config: V3DConfig) -> bool:
    return config.tmus_per_slice > 0


def _has_lists(config: V3DConfig) -> bool:
    return config.lists


def _bins(config: V3DConfig) -> bool:
    return config.binner


def _draws(config: V3DConfig) -> bool:
    return config.pixels


_DISPATCH = "pixel_pipe.front_end.vector_assembly"

QUEUES = (
    Queue(
        *("instructions", "instruction_cache", "fetch_{place}.words.level", 4, "instructions"),
        "Words that were fetched ahead. Empty: the QPU waits for `fetch`.",
    ),
    Queue(
        *("uniforms", "uniform_cache", "reader_{place}.fetch.words.level", 4, "pairs"),
        "Words of two uniforms that were fetched ahead. Empty: an instruction that reads one waits for `uniforms`.",
    ),
    Queue(
        *("VPM writes", "qpu", "vpm_queue.beats.level", 64, "quads"),
        "What instructions have said to the VPM and it has not taken yet: quads of vectors, set-ups, starts of DMA. "
        "From 48 on, instructions that use the VPM wait for `vpm_write`.",
    ),
    Queue(
        *("VPM reads", "vpm", "qpu_port{qpu}.read_port.fetched.level", READ_AHEAD * QUADS, "quads"),
        "Vectors that were fetched as a set-up of reads said, and that no instruction has read yet.",
    ),
    Queue(
        *("TMU {tmu} lookups", "tmu", "requests_{client}.lookups.level", REQUEST_SLOTS, "lookups"),
        "Lookups that have not begun. They keep their parameters, for which there are eight places: without one, "
        "instructions wait for `tmu_slot`.",
        is_built=_looks_up,
    ),
    Queue(
        *("TMU {tmu} results", "tmu", "results_{client}.used", RESULT_SLOTS, "words"),
        "Words of sixteen elements, from the beginning of their lookup until they are loaded. Those of them that are not there "
        "yet are what `ldtmu` waits for.",
        is_built=_looks_up,
    ),
    Queue(
        *("tile buffer", "qpu", "tile_queue.beats.level", 32, "quads"),
        "What instructions have said to the tile buffer and it has not taken yet. From 19 on, they wait for `tlb`.",
        is_built=_draws,
    ),
    Queue(
        *("programs of users", _WHOLE, "scheduler.user_requests.level", REQUESTS, "programs"),
        "Programs that a host has asked for and that wait for a QPU.",
        of_qpu=False,
    ),
    Queue(
        *("requests to memory", _WHOLE, "hub.requests.level", 2, "requests"),
        "Requests of all clients that memory has not taken.",
        of_qpu=False,
    ),
    Queue(
        *("words to memory", _WHOLE, "hub.writes.level", 2, "words"),
        "Words of writes that memory has not taken.",
        of_qpu=False,
    ),
    Queue(
        *("requests to the L2 cache", _WHOLE, "reads.requests.level", 2, "requests"),
        "Requests of the caches of slices that the L2 cache has not taken.",
        of_qpu=False,
    ),
    Queue(
        *("primitives to bin", _WHOLE, "vertex_pipe.vcm.binning.items.level", 256, "items"),
        "Primitives and records of the binning list; they wait until the batches with their vertices are shaded.",
        of_qpu=False,
        is_built=_has_lists,
    ),
    Queue(
        *("primitives to draw", _WHOLE, "vertex_pipe.vcm.rendering.items.level", 256, "items"),
        "The same of the rendering list.",
        of_qpu=False,
        is_built=_has_lists,
    ),
    Queue(
        *("primitives to tile lists", _WHOLE, "ptb.items.level", 8, "items"),
        "Primitives and records that the writer of tile lists has not taken.",
        of_qpu=False,
        is_built=_bins,
    ),
    Queue(
        *("primitives in set-up", _WHOLE, "pixel_pipe.items.level", 8, "items"),
        "Primitives and records that have been read; a primitive waits until it is set up and the front end is done with the one "
        "before.",
        of_qpu=False,
        is_built=_draws,
    ),
    Queue(
        *("quads for QPUs", _WHOLE, f"{_DISPATCH}.level", HELD_QUADS, "quads"),
        "Quads with samples that have not gone to a QPU.",
        of_qpu=False,
        is_built=_draws,
    ),
    Queue(
        *("vectors for QPUs", _WHOLE, f"{_DISPATCH}.vectors.level", 8, "vectors"),
        "Vectors of up to four of these quads; each waits for its varyings and for a QPU with a free thread.",
        of_qpu=False,
        is_built=_draws,
    ),
)


class Level(NamedTuple):
    """A register that counts what is in a queue of a GPU.

    queue : see `Queue`
    name : of the queue, with the QPU that it is of
    part : the kind of part that it is in
    number : of that among those of its kind
    path : names of instances in that part, and that of the register
    """

    queue: Queue
    name: str
    part: str
    number: int
    path: tuple[str, ...]

    @property
    def port(self) -> str:
        """What it is called as a port of its part."""
        return f"queue__{'_'.join(self.path)}"


def levels_of(config: V3DConfig, apart: Collection[str] = ()) -> list[Level]:
    """All that a GPU has, in the order in which records tell them: a queue of all QPUs, and then the next one. Kinds of parts that
    are compiled `apart` are not in the whole.
    """
    found = []
    for queue in QUEUES:
        if queue.is_built(config):
            qpus = range(config.qpus) if queue.of_qpu else (None,)
            found += [level for qpu in qpus for level in _levels(queue, config, qpu, apart)]
    assert len(found) <= 4 * (RECORD_WORDS - 1), "a record has no room for all levels"
    return found


def _levels(queue: Queue, config: V3DConfig, qpu: int | None, apart: Collection[str]) -> Iterator[Level]:
    slice_, place = divmod(qpu or 0, config.qpus_per_slice)
    for tmu in range(TMU_NAMES if "{tmu}" in queue.name else 1):
        unit = client = 0
        if queue.part == "tmu":
            # A unit that is alone serves both names.
            clients = config.qpus_per_slice * TMU_NAMES // config.tmus_per_slice
            unit, client = divmod(tmu * config.qpus_per_slice + place, clients)
        number, around = {
            "qpu": (qpu or 0, (f"slice{slice_}", f"qpu{place}")),
            "tmu": (slice_ * config.tmus_per_slice + unit, (f"slice{slice_}", f"tmu{unit}")),
            **{cache: (slice_, (f"slice{slice_}", cache)) for cache in ("instruction_cache", "uniform_cache")},
            "vpm": (0, ("vpm",)),
            _WHOLE: (0, ()),
        }[queue.part]
        path = tuple(queue.register.format(qpu=qpu, slice=slice_, place=place, client=client).split("."))
        name = queue.name.format(tmu=tmu)
        kind, number, path = (queue.part, number, path) if queue.part in apart else (_WHOLE, 0, (*around, *path))
        yield Level(queue, name if qpu is None else f"QPU {qpu}, {name}", kind, number, path)


def ports_of(fragment: Fragment, part: str, levels: Iterable[Level]) -> dict[str, Signal]:
    """The registers of the elaborated part that is the first one of its kind, by the names of their ports."""
    own = [level for level in levels if level.part == part and level.number == 0]
    return {level.port: register_at(fragment, level.path) for level in own}


def signals_of(fragment: Fragment, config: V3DConfig, *around: str) -> list[Signal]:
    """All registers of an elaborated GPU, which lies in instances of these names."""
    return [register_at(fragment, (*around, *level.path)) for level in levels_of(config)]


def access_text(levels: Iterable[Level]) -> str:
    """C++ for benches: how many there are, and the function that reads all of them."""
    values = [
        f"v3d_ports::{level.port}(gpu.v3d)[0]"
        if level.part == _WHOLE
        else f"{level.part}_ports::{level.port}(gpu.template part<joints::{level.part}>({level.number}))[0]"
        for level in levels
    ]
    return (
        f"#include <array>\n#include <cstdint>\nconstexpr uint32_t QUEUES = {len(values)}, MOST_LEVEL = {_MOST_LEVEL};\n"
        f"template<class Gpu> std::array<uint32_t, QUEUES> queue_levels(const Gpu &gpu) {{\n"
        f"    return {{{', '.join(values)}}};\n}}\n"
    )


class Peaks:
    """Makes the records of what is seen in each clock, as the native benches do."""

    def __init__(self, tell: Callable[[np.ndarray], object]):
        self._tell = tell
        self._highest: list[int] = []
        self._told: list[int] = []

    def clock(self, clock: int, levels: Sequence[int]) -> None:
        """The levels in a clock."""
        self._highest = list(map(max, self._highest, levels)) if self._highest else list(levels)
        if clock % LEVEL_CLOCKS == LEVEL_CLOCKS - 1:
            self.tell(clock)

    def tell(self, clock: int) -> None:
        """The clocks up to this one, if anything is new in them."""
        if self._highest != (self._told or [0] * len(self._highest)):
            told = bytes(min(level, _MOST_LEVEL) for level in self._highest)
            words = np.frombuffer(told.ljust(-(-len(told) // 4) * 4, b"\0"), np.uint32)
            self._tell(record_of(LEVELS, 0, clock - clock % LEVEL_CLOCKS, *words.tolist())[np.newaxis])
            self._told = self._highest
        self._highest = []


def peaks_of(rows: np.ndarray, count: int) -> Iterator[tuple[int, list[int]]]:
    """The first clock and the highest levels of those among records, one a row, of so many queues."""
    for row in rows_of(rows, LEVELS):
        yield int(row[1]), list(row[2:].tobytes()[:count])
