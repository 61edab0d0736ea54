"""Tile lists in memory: state, compressed primitives, blocks and the branches between them (pipeline facts, 2.4 and 2.5)."""

from collections.abc import Iterator

from vc4.records.compressed import END
from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveData

from ..cle.compressed import ListFormat, encode_branch, encode_primitive
from .state_cache import StateCache
from .tile_memory import TileMemory
from .tile_state import TileState, TileStates

__all__ = ["TileLists"]

_WORD_BYTES = 4
#: What every block keeps free: the end of a compressed list, and a branch.
_RESERVE = 1 + 1 + _WORD_BYTES


def _format_record(form: ListFormat) -> bytes:
    data = PrimitiveData.COORDINATES if form.coordinates else PrimitiveData.INDEX_16
    return bytes([ControlCode.PRIMITIVE_LIST_FORMAT.value, form.type.value | data.value << 4])


def _begin_list(clipped: bytes) -> bytes:
    """The record in front of a compressed list; `clipped` are the fields of that of a clipped primitive."""
    if clipped:
        return bytes([ControlCode.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST.value]) + clipped
    return bytes([ControlCode.COMPRESSED_PRIMITIVE_LIST.value])


class TileLists:
    """One list for each tile, all with the state of `cache`.

    Whatever writes is an iterator: its items are what it waits for. It raises `MemoryFault`.
    """

    def __init__(self, memory: TileMemory, states: TileStates, cache: StateCache, block_bytes: int):
        self._memory = memory
        self._states = states
        self._cache = cache
        self._block_bytes = block_bytes

    def add(self, tile: int, form: ListFormat, vertices: tuple[int, ...], clipped: bytes = b"") -> Iterator[str]:
        """A primitive, after the state that it needs and the list does not have."""
        state = self._states.load(tile)
        if state.form != form or state.stamp != self._cache.counter:
            yield from self._bring_up_to_date(state, form)
        absolute = 1 + len(vertices) * form.vertex_bytes
        if clipped and state.opened:
            self._end_list(state)
        if state.opened:
            data = encode_primitive(form, vertices, state.vertices)
            yield from self._make_room(state, len(data))
        if not state.opened:
            data = _begin_list(clipped)
            yield from self._make_room(state, len(data) + absolute)
            data += encode_primitive(form, vertices)
            state.opened = True
        self._put(state, data)
        first, second, third, *_ = (*vertices, 0, 0)
        state.previous = first, second, third
        self._states.store(tile, state)

    def _bring_up_to_date(self, state: TileState, form: ListFormat) -> Iterator[str]:
        """State and format. A format counts only with a shader after it."""
        changes = state.form != form
        items = [_format_record(form)] if changes else []
        items += self._cache.newer(state.stamp, shader=changes)
        yield from self._put_all(state, items)
        state.form, state.stamp = form, self._cache.counter

    def _put_all(self, state: TileState, items: list[bytes]) -> Iterator[str]:
        """Records, in front of which a compressed list ends."""
        if items and state.opened:
            self._end_list(state)
        for item in items:
            yield from self._make_room(state, len(item))
            self._put(state, item)

    def _end_list(self, state: TileState) -> None:
        self._put(state, bytes([END]))
        state.opened = False

    def close(self, tile: int, form: ListFormat | None, *, all_state: bool) -> Iterator[str]:
        """A return from the sub-list, after all state and the format `form` if `all_state` is set."""
        state = self._states.load(tile)
        if all_state:
            items = [_format_record(form)] if form else []
            yield from self._put_all(state, [*items, *self._cache.newer(None)])
            state.form, state.stamp = form or state.form, self._cache.counter
        if state.opened:
            self._end_list(state)
        self._put(state, bytes([ControlCode.RETURN_FROM_SUB_LIST.value]))
        self._states.store(tile, state)

    def _make_room(self, state: TileState, length: int) -> Iterator[str]:
        """The list goes on in another block if this one has no room; a compressed list may have ended then."""
        if state.room >= length + _RESERVE:
            return
        target = yield from self._memory.take("blocks", self._block_bytes)
        if state.opened:
            try:
                self._put(state, encode_branch(state.address, target))
            except ValueError:  # too far away
                self._end_list(state)
        if not state.opened:
            self._put(state, bytes([ControlCode.BRANCH.value]) + target.to_bytes(_WORD_BYTES, "little"))
        state.address, state.room = target, self._block_bytes

    def _put(self, state: TileState, data: bytes) -> None:
        self._memory.write(state.address, data)
        state.address += len(data)
        state.room -= len(data)
