"""Whole compressed primitive lists (guide, tables 39 to 43)."""

from collections.abc import Iterable, Iterator

from vc4.records.compressed import END

from ..model.cle.compressed import Item, ListFormat, encode_branch, encode_primitive, read_item
from ..model.cle.control_records import ListError
from ..model.memory import Memory

__all__ = ["compress", "compress_into", "decompress"]


def compress(form: ListFormat, primitives: Iterable[tuple[int, ...]]) -> bytes:
    """A list of primitives, each of them as short as it can be, with its end."""
    data, previous = bytearray(), None
    for vertices in primitives:
        data += encode_primitive(form, vertices, previous)
        previous = vertices
    return bytes([*data, END])


def compress_into(
    memory: Memory, form: ListFormat, primitives: Iterable[tuple[int, ...]], blocks: Iterable[range]
) -> int:
    """Put a list with its end into blocks of memory, which branches join; returns the address after it.

    Raises `ValueError` if there are not enough blocks, or a branch does not reach the next one.
    """
    spare = iter(blocks)
    block = next(spare)
    address, previous = block.start, None
    room = len(encode_branch(0, 0))
    pieces = [*primitives, None]
    for vertices in pieces:
        data = bytes([END]) if vertices is None else encode_primitive(form, vertices, previous)
        if address + len(data) > block.stop - (0 if vertices is None else room):
            block = next(spare, None)
            if block is None:
                raise ValueError(f"there are no blocks left for {form}")
            memory.write(address, encode_branch(address, block.start))
            address = block.start
        memory.write(address, data)
        address += len(data)
        previous = vertices
    return address


def decompress(memory: Memory, address: int, form: ListFormat) -> Iterator[Item]:
    """The items of a list, branches and the end among them. Raises `ListError`, also for branches in a circle."""
    previous, met = form.origin, set()
    while True:
        if address in met:
            raise ListError(address, "a compressed list goes in a circle")
        met.add(address)
        item = read_item(memory, address, form, previous)
        yield item
        if item.last:
            return
        address, previous = item.end, item.vertices or previous
