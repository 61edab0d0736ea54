"""Fragments on their way to the QPUs: vectors of four quads, and the programs that shade them (guide, sections 1 and 6).

A vector ends when it is full, when the next quad is one that it has already, and when anything changes that all fragments of
a program share. Vectors are shaded one after the other, when a program has no more of them.
"""

from typing import NamedTuple, Protocol

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.samples import CENTRE
from vc4.records.state import Oversample

from ..compiled import Buffers, Entry, kernel
from ..pse.coefficients import COEFFICIENTS
from ..pse.pse import PrimitiveState, SetUp
from ..qpu.fragment_state import FLAGS, REVERSE, FragmentModes, FragmentState, W, X, Y, Z, begin_fragments
from ..slice.vri import distance, partial_result, w_of
from ..tlb.tlb import TileBuffer
from .fep import COVERED, QUAD, QUAD_NUMBERS, QUAD_X, QUAD_Y, QUAD_Z, FrontEnd, Quads, flags_of

__all__ = ["QUADS", "VECTORS", "FragmentProgram", "FragmentShader", "Fragments", "HangingShader", "QueueState", "fill"]

_QUADS = ELEMENTS // QUAD
_CENTRE_X, _CENTRE_Y = CENTRE
#: Quads, and coefficients of primitives, that there is room for at first.
_ROOM = 1 << 10
#: Indices of `QueueState.counts`.
QUADS, VECTORS, _OPEN, _PRIMITIVES = range(4)
#: What is kept of `PrimitiveState.place`: from where on, and how much.
_REFERENCE, _PLACE = 4, 3


class HangingShader(Exception):
    """A fragment shader cannot go on; the text says where, and why."""


class FragmentProgram(NamedTuple):
    """A fragment shader, and what else all of its fragments share.

    code, uniforms : addresses
    """

    code: int
    uniforms: int
    threaded: bool
    modes: FragmentModes


class QueueState(NamedTuple):
    """Quads of one program in vectors.

    quads : as the front end makes them, with flags for what is covered; at last the number of the primitive
    first : of each vector, its first quad
    counts : quads, vectors, whether the last one may get more quads, primitives
    places : x and y of the reference vertex of each primitive, whether it is seen from behind
    planes : A, B and C of 1/W and of all varyings of each primitive
    """

    quads: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    planes: np.ndarray


class FragmentShader(Protocol):
    """QPUs that shade fragments.

    tile : where they draw
    """

    tile: TileBuffer

    @property
    def lacks(self) -> str:
        """What fragments wait for, if no QPU can shade now."""
        ...

    def shade(self, queue: Buffers[QueueState], program: FragmentProgram, varyings: int) -> None:
        """Run a program for each vector of a queue that has some. Raises `HangingShader`."""
        ...


@kernel
def _is_in_vector(queue: QueueState, x: int, y: int) -> bool:
    """Whether the last vector has a quad at this place."""
    for quad in range(queue.first[queue.counts[VECTORS] - 1], queue.counts[QUADS]):
        if queue.quads[quad, QUAD_X] == x and queue.quads[quad, QUAD_Y] == y:
            return True
    return False


@kernel
def _append(
    queue: QueueState, primitive: PrimitiveState, quads: np.ndarray, count: int, oversample: int, multisample: int
) -> None:
    """Put quads of a primitive into vectors."""
    counts, number, size = queue.counts, queue.counts[_PRIMITIVES], len(primitive.planes)
    counts[_PRIMITIVES] += 1
    for index in range(_PLACE):
        queue.places[number, index] = primitive.place[_REFERENCE + index]
    for index in range(size):
        queue.planes[number * size + index] = primitive.planes[index]
    for quad in range(count):
        place = counts[QUADS]
        if counts[_OPEN] == 0 or _is_in_vector(queue, quads[quad, QUAD_X], quads[quad, QUAD_Y]):
            queue.first[counts[VECTORS]] = place
            counts[VECTORS] += 1
        for index in range(QUAD_NUMBERS):
            queue.quads[place, index] = quads[quad, index]
        for index in range(COVERED, COVERED + QUAD):
            queue.quads[place, index] = flags_of(quads[quad, index], oversample, multisample != 0)
        queue.quads[place, QUAD_NUMBERS] = number
        counts[QUADS] = place + 1
        counts[_OPEN] = 1 if place + 1 - queue.first[counts[VECTORS] - 1] < _QUADS else 0


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
    pixels, quads, planes, places = fragments.pixels, queue.quads, queue.planes, queue.places
    first = queue.first[vector]
    end = queue.first[vector + 1] if vector + 1 < queue.counts[VECTORS] else queue.counts[QUADS]
    real = (end - first) * QUAD
    begin_fragments(fragments.modes, q, t, varyings, real, depth, z_updates, clears, as_mask)
    for element in range(ELEMENTS):
        quad, pixel = min(first + element // QUAD, end - 1), element % QUAD
        number = quads[quad, QUAD_NUMBERS]
        x, y = quads[quad, QUAD_X] + pixel % 2, quads[quad, QUAD_Y] + pixel // 2
        pixels[q, t, X, element] = x
        pixels[q, t, Y, element] = y
        pixels[q, t, FLAGS, element] = quads[quad, COVERED + pixel] if element < real else 0
        pixels[q, t, REVERSE, element] = places[number, 2]
        pixels[q, t, Z, element] = quads[quad, QUAD_Z + pixel]
        dx, dy = distance(x, _CENTRE_X, places[number, 0]), distance(y, _CENTRE_Y, places[number, 1])
        for varying in range(-1, varyings):
            plane = (number * (varyings + 1) + varying + 1) * COEFFICIENTS
            partial, c = partial_result(planes[plane], planes[plane + 1], dx, dy), planes[plane + 2]
            if varying < 0:
                pixels[q, t, W, element] = w_of(partial, c)
            else:
                fragments.varyings[q, t, varying, 0, element] = partial
                fragments.varyings[q, t, varying, 1, element] = c


_append_quads = Entry(_append)


def _new_queue(quads: int, primitives: int, planes: int) -> QueueState:
    return QueueState(
        quads=np.zeros((quads, QUAD_NUMBERS + 1), np.int64),
        first=np.zeros(quads, np.int64),
        counts=np.zeros(_PRIMITIVES + 1, np.int64),
        places=np.zeros((primitives, _PLACE), np.int64),
        planes=np.zeros(planes, np.int64),
    )


class Fragments:
    """Collects quads, and has them shaded.

    quads, vectors : how many there were
    varyings : of the last vector, 0 if there was none
    """

    def __init__(self, shader: FragmentShader):
        self.quads = self.vectors = self.varyings = 0
        self._shader = shader
        self._queue = Buffers(_new_queue(_ROOM, _ROOM, _ROOM))
        self.forget()

    def forget(self) -> None:
        """There are no fragments."""
        self._program: FragmentProgram | None = None
        self._kind: tuple[int, int] | None = None
        self._queue.arrays.counts[:] = 0

    def begin(self, program: FragmentProgram, primitive: SetUp) -> None:
        """Fragments of other programs are shaded before the front end looks at the tile buffer. Raises `HangingShader`."""
        kind = len(primitive.implicit), primitive.varyings
        if program != self._program or kind != self._kind:
            self.flush()
            self._program, self._kind = program, kind

    def add(self, primitive: SetUp, front_end: FrontEnd, quads: Quads, oversample: Oversample) -> None:
        """The quads of a primitive that the front end has, for the program that has begun."""
        self.quads += quads.kept
        multisample = int(self._shader.tile.shape.multisample)
        self._make_room(quads.kept, len(primitive.state.arrays.planes))
        _append_quads(self._queue, primitive.state, front_end.quads, quads.kept, oversample.value, multisample)

    def _make_room(self, quads: int, planes: int) -> None:
        """For one more primitive."""
        old = self._queue.arrays
        count, _, _, primitives = old.counts.tolist()
        needed = count + quads, primitives + 1, (primitives + 1) * planes
        sizes = len(old.quads), len(old.places), len(old.planes)
        if any(need > size for need, size in zip(needed, sizes, strict=True)):
            new = _new_queue(*(size if need <= size else 2 * need for need, size in zip(needed, sizes, strict=True)))
            for kept, array in zip(old, new, strict=True):
                array[: len(kept)] = kept
            self._queue = Buffers(new)

    @property
    def lacks(self) -> str:
        """What fragments wait for, if there are any that cannot be shaded now."""
        return self._shader.lacks if self._program else ""

    def close(self) -> None:
        """The open vector gets no more quads."""
        self._queue.arrays.counts[_OPEN] = 0

    def flush(self) -> None:
        """Shade all fragments."""
        vectors = self._queue.views.counts[VECTORS]
        self.vectors += vectors
        if vectors and self._program and self._kind:
            self.varyings = self._kind[1]
            self._shader.shade(self._queue, self._program, self.varyings)
        self.forget()
