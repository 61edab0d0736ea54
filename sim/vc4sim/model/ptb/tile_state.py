"""The tile state data array (guide, section 9; pipeline facts, 2.2)."""

from dataclasses import dataclass

from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import TILE_POINTER_BITS, TILE_STATE_BYTES
from vc4.records.tile_state import TileState as Layout

from ..cle.compressed import COORDINATE_BYTES, INDEX_BYTES, ListFormat
from ..cle.fields import packing
from .tile_memory import TileMemory

__all__ = ["TileState", "TileStates"]

_POINTER_MASK = (1 << TILE_POINTER_BITS) - 1
#: The first bytes of a state mean something; nobody touches the others.
_USED_BYTES = 24


@dataclass(slots=True)
class TileState:
    """State of a tile.

    address, room : where its list goes on, and bytes that the block has left from there on
    opened : a compressed list goes on there, after a primitive with the vertices `vertices`
    form : what the last format in the list says
    stamp : of the newest state that the list has
    previous : three words as they are in memory, of which those of the format count
    """

    address: int
    room: int
    opened: bool = False
    form: ListFormat | None = None
    stamp: int = 0
    previous: tuple[int, int, int] = (0, 0, 0)

    @property
    def vertices(self) -> tuple[int, ...]:
        """Of the primitive before; none without a format."""
        if not self.form:
            return ()
        mask = (1 << 8 * self.form.vertex_bytes) - 1
        return tuple(vertex & mask for vertex in self.previous[: self.form.vertices])


class TileStates:
    """The array at `address`, one state for each of `count` tiles. It lies in memory and nowhere else."""

    def __init__(self, memory: TileMemory, address: int, count: int):
        self.count = count
        self._memory = memory
        self._address = address
        #: Bits of an address that a pointer lacks.
        self._window = address & ~_POINTER_MASK
        self._packing = packing(Layout)

    def initialise(self, first: int, block_bytes: int) -> None:
        """Every tile begins with a block of its own, from address `first` on."""
        for tile in range(self.count):
            bits = (first + tile * block_bytes & _POINTER_MASK) | block_bytes << 40
            self._memory.write_state(self._address + tile * TILE_STATE_BYTES, bits.to_bytes(_USED_BYTES, "little"))

    def load(self, tile: int) -> TileState:
        """The state of a tile."""
        data = self._memory.read(self._address + tile * TILE_STATE_BYTES, _USED_BYTES)
        fields = self._packing.unpack(int.from_bytes(data, "little"))
        form = None
        if fields.format_known:
            form = ListFormat(
                PrimitiveType(fields.format_type), COORDINATE_BYTES if fields.format_coordinates else INDEX_BYTES
            )
        opened = bool(fields.list_opened and form and form.codings)
        previous = fields.vertex_0, fields.vertex_1, fields.vertex_2
        return TileState(self._window | fields.list_pointer, fields.room, opened, form, fields.stamp, previous)

    def store(self, tile: int, state: TileState) -> None:
        """A new state of a tile."""
        form = state.form
        bits = self._packing.pack(
            list_pointer=state.address & _POINTER_MASK,
            list_opened=state.opened,
            format_known=form is not None,
            format_type=form.type.value if form else 0,
            format_coordinates=form.coordinates if form else 0,
            room=max(state.room, 0),  # less only if somebody else has changed the array
            stamp=state.stamp,
            vertex_0=state.previous[0],
            vertex_1=state.previous[1],
            vertex_2=state.previous[2],
        )
        self._memory.write_state(self._address + tile * TILE_STATE_BYTES, bits.to_bytes(_USED_BYTES, "little"))
