"""The erratum HW-2116: the count of changes of state wraps, and what is newer seems older."""

import struct

import pytest

from vc4.errata import Erratum
from vc4sim.model.memory import Memory

from ..binning import ALLOCATION, LISTS, SIZE, STATES, bin_list, bin_sizes, read_tiles

#: Of the count, in front of the first size.
STARTS = (1 << 13) - 2
POINTS = [(2.0 + number, number % 2) for number in range(6)]


def drawn_sizes(points, errata):
    """The size of each point in the lists of both tiles."""
    memory = Memory(SIZE)
    end = bin_sizes(memory, STARTS, points)
    bin_list(memory, LISTS, end, [range(ALLOCATION, SIZE), range(STATES, STATES + 2 * 48)], errata=errata)
    tiles = read_tiles(memory, ALLOCATION, 32, 2, 1, {})
    return [[struct.unpack("<f", one.state["POINT_SIZE"][1:])[0] for one in tile] for tile in tiles]


@pytest.mark.parametrize("errata", [(), (Erratum.HW_2116,)])
def test_a_tile_keeps_its_state_while_the_count_wraps(errata):
    """Once, in each tile: the next point has its own size again."""
    wanted = [[2.0, 4.0, 6.0], [3.0, 5.0, 7.0]]
    if errata:
        wanted = [[2.0, 2.0, 6.0], [3.0, 3.0, 7.0]]
    assert drawn_sizes(POINTS, errata) == wanted
