"""Golden clocks of what writes tile lists, with a memory that answers soon."""

import random
from itertools import pairwise

from vc4.records.primitives import PrimitiveType
from vc4sim.model.cle.primitives import Primitive

from .list_bench import Lists, Placed, record
from .test_tile_lists import FLUSH, START, Code, configuration, triangle


def steps(items, first, last):
    """Clocks from one item to the next one."""
    clocks = Lists(random.Random(1)).run(items)
    return [after - before for before, after in pairwise(clocks[first:last])]


def test_small_triangles_in_a_tile():
    """Each in two bytes: six clocks, and some where a block ends. The tile after that waits for the state."""
    items = [triangle(n, n + 1, n + 2) for n in range(1, 26)]
    found = steps([configuration(2, 2), START, *items, FLUSH], 2 + 4, 2 + 50)
    pairs = [sum(pair) for pair in zip(found[::2], found[1::2], strict=False)]
    print(pairs)
    # The first block has a chunk to take before it goes on elsewhere.
    assert sorted(pairs) == [6] * 18 + [10, 10, 14, 16]


def test_a_primitive_over_100_tiles():
    """Three clocks for each tile, once its list is begun."""
    tiles = tuple(range(100))
    big = [triangle(1, 2, 3, tiles=tiles), triangle(2, 3, 5, tiles=tiles), triangle(3, 5, 6, tiles=tiles)]
    found = steps([configuration(10, 10), START, *big], 2 + 202, 2 + 303)
    print(found)
    assert found[2:] == [3] * (len(found) - 2)


def test_coordinates_far_away():
    """Thirteen bytes, in four chunks, which lie in three words at the most."""
    tiles = tuple(range(8))
    far = [
        Placed(Primitive(PrimitiveType.TRIANGLES, (n << 30, n << 20 | 7, n << 10), True), tiles) for n in range(1, 4)
    ]
    found = steps([configuration(4, 2, initial=3), START, *far, FLUSH], 2 + 18, 2 + 27)
    print(found)
    assert max(found[2:]) <= 14


def test_initialisation():
    """Three words for each tile, a word each clock."""
    taken, first = (Lists(random.Random(1)).run([configuration(20, 10, auto=auto), START])[0] for auto in (1, 0))
    assert taken - first == 3 * 200


def test_new_state():
    """One kind is known, and is new: a scan of all ten, the end of a compressed list, a record of five bytes, another list. The
    first tile waits for nothing else: its state is in the cache.
    """
    items = [triangle(1, 2, 3), record(Code.LINE_WIDTH, line_width=1.0), triangle(1, 2, 3), triangle(1, 2, 3)]
    found = steps([configuration(1, 1, initial=3), START, *items], 2, 9)
    print(found)
    assert found == [1, 28, 1, 1, 31, 1]
