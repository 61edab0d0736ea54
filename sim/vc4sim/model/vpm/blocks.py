"""Blocks that DMA moves, and places of vectors, as arrays: for those who look at programs from outside."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from vc4.isa.registers import ELEMENTS
from vc4.records.vpm import VpmSize

from . import addressing
from .addressing import ROW_BYTES

__all__ = ["Block", "load_block", "row_of", "store_block", "vector_places"]


def row_of(place):
    """The row of a place, or of an array of them."""
    return place // ROW_BYTES


@cache
def vector_places(address: int, size: VpmSize, laned: bool, horizontal: bool) -> np.ndarray:
    """The places of the sixteen elements of the vector that ADDR (8 bits) names; SIZE must not be reserved."""
    width = 1 << size.value
    places = [addressing.vector_place(address, width, laned, horizontal, element) for element in range(ELEMENTS)]
    found = np.array(places)
    found.flags.writeable = False
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What a DMA load or store moves.

    width : bytes of an element
    places : of the elements in the VPM, [row of the block, element of the row]
    addresses : of the first element of each row in memory, 32 bits; the others follow it without a gap
    """

    width: int
    places: np.ndarray
    addresses: tuple[int, ...]

    @property
    def rows(self) -> frozenset[int]:
        """The rows of the VPM that it touches."""
        return frozenset(row_of(self.places).ravel().tolist())

    @property
    def row_bytes(self) -> int:
        """Bytes of a row in memory."""
        return self.places.shape[1] * self.width


def load_block(load: int, extended: int, address: int) -> Block:
    """What a load with these set-ups moves, a `VdrBasicSetup` and a `VdrExtendedSetup`, from `address` on."""
    rows, length = range(addressing.load_rows(load)), range(addressing.load_length(load))
    places = [[addressing.load_place(load, row, element) for element in length] for row in rows]
    addresses = tuple(addressing.load_address(load, extended, address, row) for row in rows)
    return Block(addressing.element_bytes(addressing.load_mode(load)), np.array(places), addresses)


def store_block(store: int, stride: int, address: int) -> Block:
    """What a store with these set-ups moves, a `VdwBasicSetup` and a `VdwStrideSetup`; MODEW must not be reserved."""
    units, depth = range(addressing.store_rows(store)), range(addressing.store_length(store))
    places = [[addressing.store_place(store, stride, unit, element) for element in depth] for unit in units]
    addresses = tuple(addressing.store_address(store, stride, address, unit) for unit in units)
    return Block(addressing.element_bytes(addressing.store_mode(store)), np.array(places), addresses)
