"""Fragments on their way to the QPUs: vectors of four quads, and the programs that shade them (guide, sections 1 and 6).

A vector ends when it is full, when the next quad is one that it has already, and when anything changes that all fragments of
a program share. Vectors are shaded one after the other, when a program has no more of them.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.state import Oversample

from ..compiled import Buffers, Entry, kernel
from ..pse.coefficients import COEFFICIENTS
from ..pse.pse import PrimitiveState, SetUp
from ..qpu.fragment_port import FragmentModes, FragmentState, begin_fragments
from ..slice.vri import distance, partial_result, w_of
from ..tlb.tlb import TileBuffer
from .fep import QUAD, FrontEnd, Quads, QuadState, flags_of
from .samples import CENTRE

__all__ = ["FragmentProgram", "FragmentShader", "Fragments", "HangingShader", "QueueState", "fill"]

_QUADS = ELEMENTS // QUAD
_CENTRE_X, _CENTRE_Y = CENTRE
#: Quads, and coefficients of primitives, that there is room for at first.
_ROOM = 1 << 10
#: Indices of `QueueState.counts`.
_COUNT, _VECTORS, _OPEN, _PRIMITIVES = range(4)
#: What is kept of `PrimitiveState.place`.
_X, _Y, _REVERSE = 0, 1, 7
_PLACE = 3


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


class FragmentShader(Protocol):
    """A QPU that shades fragments.

    fragments : what its threads get
    tile : where they are drawn
    """

    fragments: Buffers[FragmentState]
    tile: TileBuffer

    @property
    def qpu(self) -> int:
        """That shades the next vector."""
        ...

    def shade(self, program: FragmentProgram) -> None:
        """Run a program for the vector of thread 0 of that QPU. Raises `HangingShader`."""
        ...


class QueueState(NamedTuple):
    """Quads of one program in vectors.

    x, y : of pixel 0
    flags, z : [quad, 4]
    primitive : of a quad
    first : of each vector, its first quad
    counts : quads, vectors, whether the last one may get more quads, primitives
    places : x and y of the reference vertex of each primitive, whether it is seen from behind
    planes : A, B and C of 1/W and of all varyings of each primitive
    """

    x: np.ndarray
    y: np.ndarray
    flags: np.ndarray
    z: np.ndarray
    primitive: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    planes: np.ndarray


@kernel
def _is_in_vector(queue: QueueState, x: int, y: int) -> bool:
    """Whether the last vector has a quad at this place."""
    for quad in range(queue.first[queue.counts[_VECTORS] - 1], queue.counts[_COUNT]):
        if queue.x[quad] == x and queue.y[quad] == y:
            return True
    return False


@kernel
def _append(
    queue: QueueState, primitive: PrimitiveState, quads: QuadState, count: int, oversample: int, multisample: int
) -> None:
    """Put quads of a primitive into vectors."""
    number, size = queue.counts[_PRIMITIVES], len(primitive.planes)
    queue.counts[_PRIMITIVES] += 1
    queue.places[number, 0] = primitive.place[_X]
    queue.places[number, 1] = primitive.place[_Y]
    queue.places[number, 2] = primitive.place[_REVERSE]
    for index in range(size):
        queue.planes[number * size + index] = primitive.planes[index]
    for quad in range(count):
        x, y, place = quads.x[quad], quads.y[quad], queue.counts[_COUNT]
        if queue.counts[_OPEN] == 0 or _is_in_vector(queue, x, y):
            queue.first[queue.counts[_VECTORS]] = place
            queue.counts[_VECTORS] += 1
        queue.x[place] = x
        queue.y[place] = y
        queue.primitive[place] = number
        for pixel in range(QUAD):
            queue.flags[place, pixel] = flags_of(quads.covered[quad, pixel], oversample, multisample != 0)
            queue.z[place, pixel] = quads.z[quad, pixel]
        queue.counts[_COUNT] += 1
        held = queue.counts[_COUNT] - queue.first[queue.counts[_VECTORS] - 1]
        queue.counts[_OPEN] = 1 if held < _QUADS else 0


@kernel
def _fill_element(
    fragments: FragmentState, queue: QueueState, q: int, t: int, element: int, quad: int, varyings: int
) -> None:
    """What a shader gets of a pixel."""
    pixel, number = element % QUAD, queue.primitive[quad]
    x, y = queue.x[quad] + pixel % 2, queue.y[quad] + pixel // 2
    fragments.x[q, t, element] = x
    fragments.y[q, t, element] = y
    fragments.reverse[q, t, element] = queue.places[number, 2]
    fragments.z[q, t, element] = queue.z[quad, pixel]
    dx, dy = distance(x, _CENTRE_X, queue.places[number, 0]), distance(y, _CENTRE_Y, queue.places[number, 1])
    plane = number * (varyings + 1) * COEFFICIENTS
    planes = queue.planes
    fragments.w[q, t, element] = w_of(planes[plane], planes[plane + 1], planes[plane + 2], dx, dy)
    for varying in range(varyings):
        plane += COEFFICIENTS
        fragments.partial[q, t, varying, element] = partial_result(planes[plane], planes[plane + 1], dx, dy)
        fragments.c[q, t, varying, element] = planes[plane + 2]


@kernel
def fill(
    fragments: FragmentState,
    queue: QueueState,
    q: int,
    t: int,
    vector: int,
    varyings: int,
    depth: int,
    z_updates: int,
    clears: int,
    as_mask: int,
) -> None:
    """A vector for a thread of a QPU; see `FragmentModes` for the last numbers.

    Places that are left in it have the last quad once more, without flags.
    """
    begin_fragments(fragments, q, t, varyings, depth, z_updates, clears, as_mask)
    first = queue.first[vector]
    end = queue.first[vector + 1] if vector + 1 < queue.counts[_VECTORS] else queue.counts[_COUNT]
    for element in range(ELEMENTS):
        quad = first + element // QUAD
        fragments.flags[q, t, element] = queue.flags[quad, element % QUAD] if quad < end else 0
        _fill_element(fragments, queue, q, t, element, min(quad, end - 1), varyings)


_append_quads = Entry(_append)
_fill_vector = Entry(fill)


def _new_queue(quads: int, primitives: int, planes: int) -> QueueState:
    x, y, primitive, first = np.zeros((4, quads), np.int64)
    flags, z = np.zeros((2, quads, QUAD), np.int64)
    counts, places = np.zeros(_PRIMITIVES + 1, np.int64), np.zeros((primitives, _PLACE), np.int64)
    return QueueState(x, y, flags, z, primitive, first, counts, places, np.zeros(planes, np.int64))


class Fragments:
    """Collects quads, and has them shaded.

    quads, vectors : how many there were
    """

    def __init__(self, shader: FragmentShader):
        self.quads = self.vectors = 0
        self._shader = shader
        self._queue = Buffers(_new_queue(_ROOM, _ROOM, _ROOM))
        self.forget()

    def forget(self) -> None:
        """There are no fragments."""
        self._program: FragmentProgram | None = None
        self._kind: tuple[int, int] | None = None
        self._queue.arrays.counts[:] = 0

    def add(
        self,
        program: FragmentProgram,
        primitive: SetUp,
        front_end: FrontEnd,
        quads: Quads,
        oversample: Oversample,
    ) -> None:
        """The quads of a primitive that the front end has. Raises `HangingShader`."""
        kind = len(primitive.implicit), primitive.varyings
        if program != self._program or kind != self._kind:
            self.flush()
            self._program, self._kind = program, kind
        self.quads += quads.kept
        multisample = int(self._shader.tile.shape.multisample)
        self._make_room(quads.kept, len(primitive.state.arrays.planes))
        _append_quads(self._queue, primitive.state, front_end.quads, quads.kept, oversample.value, multisample)

    def _make_room(self, quads: int, planes: int) -> None:
        """For one more primitive."""
        old = self._queue.arrays
        count, _, _, primitives = old.counts.tolist()
        needed = count + quads, primitives + 1, (primitives + 1) * planes
        sizes = len(old.x), len(old.places), len(old.planes)
        if any(need > size for need, size in zip(needed, sizes, strict=True)):
            new = _new_queue(*(size if need <= size else 2 * need for need, size in zip(needed, sizes, strict=True)))
            for kept, array in zip(old, new, strict=True):
                array[: len(kept)] = kept
            self._queue = Buffers(new)

    def close(self) -> None:
        """The open vector gets no more quads."""
        self._queue.arrays.counts[_OPEN] = 0

    def flush(self) -> None:
        """Shade all fragments."""
        vectors = self._queue.views.counts[_VECTORS]
        self.vectors += vectors
        if self._program and self._kind:
            codes = self._program.modes.codes
            for vector in range(vectors):
                _fill_vector(self._shader.fragments, self._queue, self._shader.qpu, 0, vector, self._kind[1], *codes)
                self._shader.shade(self._program)
        self.forget()
