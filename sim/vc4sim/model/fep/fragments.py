"""Fragments on their way to the QPUs: vectors of four quads, and the programs that shade them (guide, sections 1 and 6).

A vector ends when it is full, when the next quad is one that it has already, and when anything changes that all fragments of
a program share. The result is that of shading one vector after the other. To be fast, vectors are shaded in rounds: all of a
round together, each of them in the first round behind those that have a quad of its own.
"""

from dataclasses import dataclass

import numpy as np

from vc4.config import V3DConfig
from vc4.isa.registers import ELEMENTS

from ...launch import Launch
from ..memory import Memory, MemoryFault
from ..pse.pse import SetUp
from ..qps.sync import Sync
from ..qpu.fragment_port import FragmentModes, FragmentPort, FragmentVectors
from ..qpu.qpu import Qpu
from ..qpu.vectors import Divergence
from ..slice.vri import interpolate
from ..tlb.tlb import TileBuffer
from ..tmu.port import TmuPort
from ..unbuilt import FRAGMENT_UNITS, Unbuilt, Waiting
from ..vpm.port import VpmPort
from ..vpm.vpm import Vpm
from .fep import QUAD, Quads

__all__ = ["FragmentProgram", "Fragments", "HangingShader"]

_QUADS = ELEMENTS // QUAD
#: Instructions of a program that count as one that does not end.
_LIMIT = 1 << 16


class HangingShader(Exception):
    """A fragment shader cannot go on; the text says where, and why."""


@dataclass(frozen=True, slots=True)
class FragmentProgram:
    """A fragment shader, and what else all of its fragments share.

    code, uniforms : addresses
    """

    code: int
    uniforms: int
    threaded: bool
    modes: FragmentModes


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Quads of whole vectors, each array [quad, 4], and the number of each one's primitive."""

    x: np.ndarray
    y: np.ndarray
    flags: np.ndarray
    z: np.ndarray
    which: np.ndarray

    @property
    def quads(self) -> np.ndarray:
        """Where the quads lie: one number each."""
        return self.y[:, 0] << 16 | self.x[:, 0]

    def part(self, first: int, last: int | None = None) -> "_Batch":
        """Some of them, in order."""
        chosen = slice(first, last)
        return _Batch(self.x[chosen], self.y[chosen], self.flags[chosen], self.z[chosen], self.which[chosen])

    def filled(self) -> "_Batch":
        """With places that are left in the last vector: the last quad once more, without flags."""
        missing = -len(self.x) % _QUADS
        if not missing:
            return self
        places = np.concatenate((np.arange(len(self.x)), np.full(missing, len(self.x) - 1)))
        flags = self.flags[places]
        flags[len(self.x) :] = 0
        return _Batch(self.x[places], self.y[places], flags, self.z[places], self.which[places])


def _joined(parts: list[_Batch]) -> _Batch:
    return _Batch(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("x", "y", "flags", "z", "which"))
    )


def _kind(primitive: SetUp) -> tuple[int, int]:
    """What all primitives of a vector have the same: numbers of implicit and of all varyings."""
    return len(primitive.implicit), primitive.varyings


class Fragments:
    """Collects quads, and shades them into `tile`.

    sync : semaphores and mutex, which others may share
    limit : instructions after which a program counts as one that does not end
    together : shade vectors together where that cannot be seen
    quads, vectors, instructions, lookups : how many there were; a vector's lookup is one
    """

    def __init__(
        self,
        memory: Memory,
        config: V3DConfig,
        tile: TileBuffer,
        sync: Sync | None = None,
        *,
        limit: int = _LIMIT,
        together: bool = True,
    ):
        self.limit, self.together = limit, together
        self.quads = self.vectors = self.instructions = self.lookups = 0
        self._memory, self._config, self._tile = memory, config, tile
        self._sync = sync or Sync()
        self._vpm = Vpm(config.vpm_rows, memory)
        self._units = FRAGMENT_UNITS if config.tmus_per_slice else FRAGMENT_UNITS - {"tmu"}
        self.forget()

    def forget(self) -> None:
        """There are no fragments."""
        self._program: FragmentProgram | None = None
        self._primitives: list[SetUp] = []
        self._closed: list[_Batch] = []
        self._open: list[_Batch] = []
        self._numbers: list[int] = []
        self._rounds: dict[int, int] = {}

    def add(self, program: FragmentProgram, primitive: SetUp, quads: Quads, flags: np.ndarray) -> None:
        """Quads of a primitive, with the flags of their pixels. Raises `HangingShader`, and `MemoryFault`."""
        same_varyings = self._primitives and _kind(self._primitives[-1]) == _kind(primitive)
        if program != self._program or not same_varyings:
            self.flush()
            self._program = program
        self._primitives.append(primitive)
        self.quads += len(quads.x)
        batch = _Batch(quads.x, quads.y, flags, quads.z, np.full(len(quads.x), len(self._primitives) - 1))
        self._add(batch)

    def _add(self, batch: _Batch) -> None:
        """First what completes the open vector, then whole vectors; what is left is the next open one."""
        start, places = 0, batch.quads
        while self._open and start < len(places):
            held = np.concatenate([part.quads for part in self._open])
            if (held == places[start]).any():
                self.close()
                break
            self._open.append(batch.part(start, start + 1))
            start += 1
            if len(held) + 1 == _QUADS:
                self.close()
        end = start + (len(places) - start) // _QUADS * _QUADS
        if end > start:
            self._push(batch.part(start, end))
        if end < len(places):
            self._open.append(batch.part(end))

    def close(self) -> None:
        """The open vector gets no more quads."""
        if self._open:
            batch, self._open = _joined(self._open).filled(), []
            self._push(batch)

    def _push(self, batch: _Batch) -> None:
        """Whole vectors, each into the first round behind those that have a quad of its own."""
        rounds = []
        for places in batch.quads.reshape(-1, _QUADS).tolist():
            number = 1 + max(self._rounds.get(place, -1) for place in places)
            rounds.append(number)
            self._rounds |= dict.fromkeys(places, number)
        self._closed.append(batch)
        self._numbers += rounds

    def flush(self) -> None:
        """Shade all fragments."""
        self.close()
        if self._closed:
            batch, numbers = _joined(self._closed), np.array(self._numbers)
            order = np.argsort(numbers, kind="stable")
            assert self._program is not None
            fragments = self._fragments(batch)
            self.vectors += len(fragments.x)
            if self.together:
                for part in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
                    self._shade(self._program, fragments.part(part))
            else:
                for number in range(len(fragments.x)):
                    self._run(self._program, fragments.part(slice(number, number + 1)))
        self.forget()

    def _shade(self, program: FragmentProgram, fragments: FragmentVectors) -> None:
        """Shade vectors that have no pixel in common: as one, or in groups that go the same way."""
        before, instructions, lookups = self._tile.copy(), self.instructions, self.lookups
        try:
            self._run(program, fragments)
            return
        except Divergence as what:
            self._tile.restore(before)
            self.instructions, self.lookups = instructions, lookups
            values = np.arange(len(fragments.x)) if what.values is None else what.values
        for value in np.unique(values):
            self._shade(program, fragments.part(np.flatnonzero(values == value)))

    def _fragments(self, batch: _Batch) -> FragmentVectors:
        """What shaders get of quads."""
        which = np.repeat(batch.which, QUAD).reshape(-1, ELEMENTS)
        x, y, flags, z = (array.reshape(-1, ELEMENTS) for array in (batch.x, batch.y, batch.flags, batch.z))
        used, which = np.unique(which, return_inverse=True)
        which = which.reshape(x.shape)
        primitives = [self._primitives[number] for number in used]
        w, varyings = interpolate(primitives, which, x, y)
        reverse = np.array([primitive.reverse for primitive in primitives])[which]
        return FragmentVectors(x, y, flags, reverse, z.astype(np.uint32), w, varyings)

    def _run(self, program: FragmentProgram, fragments: FragmentVectors) -> None:
        """Shade vectors as one."""
        port = FragmentPort(self._tile, fragments, program.modes)
        tmu = TmuPort(self._memory, self._config.tmus_per_slice, 0)
        qpu = Qpu(0, self._memory, VpmPort(self._vpm), tmu, self._sync, self._units, port)
        qpu.start(Launch(program.code, program.uniforms, program.threaded))
        steps = 0
        try:
            while qpu.sequencer.running:
                if steps == self.limit:
                    raise HangingShader(f"the program does not end within {self.limit} instructions")
                qpu.step()
                steps += 1
        except Waiting as what:
            raise HangingShader(f"fragment shader at {qpu.sequencer.pc:#010x}: waits for {what}") from None
        except (HangingShader, MemoryFault, Unbuilt) as what:
            raise HangingShader(f"fragment shader at {qpu.sequencer.pc:#010x}: {what}") from None
        finally:
            self.instructions += steps * port.vectors
            self.lookups += tmu.lookups * port.vectors
