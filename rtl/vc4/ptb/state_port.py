"""States of tiles, as those see them who use them."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.bus.port import BUS_BYTES

__all__ = ["STATE_WORDS", "StatePort"]

#: Words of the bus of a state that mean something.
STATE_WORDS = 3


class StatePort(wiring.Signature):
    """The side of whoever uses the states of tiles.

    Interface attributes
    --------------------
    word : of the state that is loaded
    stamp, vertices, place : strobes: which word that is, the second, third or first one; perhaps again from `stamp` on if `place` does
        not come
    busy : `place` must not come, nor `stamp` of a tile of the same place in the cache: not everything is stored
    store, store_number, store_data : strobes of the halves of a word of the tile whose `place` came last; without the bits that mean
        nothing
    """

    def __init__(self):
        super().__init__(
            {
                "word": In(8 * BUS_BYTES),
                "stamp": In(1),
                "vertices": In(1),
                "place": In(1),
                "busy": Out(1),
                "store": Out(2),
                "store_number": Out(range(STATE_WORDS)),
                "store_data": Out(8 * BUS_BYTES),
            }
        )
