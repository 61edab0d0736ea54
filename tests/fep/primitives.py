"""Primitives in tiles for tests of the front end, from the model's set-up."""

from vc4.fep.structs import EDGES, TileEdge
from vc4.records.samples import CENTRE, PIXEL
from vc4sim.model.fep.fep import ZS, Window

__all__ = ["TILE", "in_tile", "payload", "plane_of", "some_window", "window_of"]

TILE = 64
_MOST_C = (1 << TileEdge.as_shape()["c"].shape.width - 1) - 1
_MASK = (1 << 64) - 1


def _clipped(primitive, window):
    """The first and last columns and rows of pixels that a primitive may have in a window."""
    low_x, low_y, high_x, high_y = (place // PIXEL for place in primitive.box)
    left, right = max(window.left, low_x), min(window.right - 1, high_x)
    return left, right, max(window.low, low_y), min(window.high - 1, high_y)


def in_tile(primitive, window, oversample):
    """A primitive as the rasteriser takes it, or `None` if its box is outside of the window."""
    left, right, low, high = _clipped(primitive, window)
    if left > right or low > high:
        return None
    x, y = left & ~1, low & ~1
    edges = []
    for a, b, c in primitive.edges:
        if a % 2 == 0 and b % 2 == 0:
            a, b, c = a >> 1, b >> 1, c >> 1  # the same samples are inside
        value = c + PIXEL * (a * x + b * y)
        edges.append({"a": a, "b": b, "c": min(max(value, -_MOST_C - 1), _MOST_C)})
    edges += [{"a": 0, "b": 0, "c": 0}] * (EDGES - len(edges))
    return {
        "edges": edges,
        "oversample": oversample,
        **{"x": x % TILE // 2, "y": y % TILE // 2},
        **{"left": left - x, "right": right - x, "low": low - y, "high": high - y},
    }


def plane_of(primitive, window, limits=ZS):
    """Z of a primitive with a pixel in a window."""
    left, _, low, _ = _clipped(primitive, window)
    x, y = left & ~1, low & ~1
    dx, dy = PIXEL * x + CENTRE[0] - primitive.x, PIXEL * y + CENTRE[1] - primitive.y
    return {
        "z": primitive.z,
        "gain_x": primitive.z_x & _MASK,
        "gain_y": primitive.z_y & _MASK,
        "first": primitive.z_x * dx + primitive.z_y * dy & _MASK,
        **{"x": x % TILE // 2, "y": y % TILE // 2},
        "limits": {"nearest": limits[0], "farthest": limits[1]},
    }


def payload(primitive, oversample):
    """As the set-up hands it on."""
    edges = [{"a": a, "b": b, "c": c} for a, b, c in primitive.edges]
    noise = {"a": 5, "b": -7, "c": 1000}  # after the last one
    low_x, low_y, high_x, high_y = (place // PIXEL for place in primitive.box)
    return {
        "edges": edges + [noise] * (EDGES - len(edges)),
        "count": len(edges),
        "box": {"low_x": low_x, "low_y": low_y, "high_x": high_x, "high_y": high_y},
        "oversample": oversample,
        **{name: getattr(primitive, name) for name in ("x", "y", "z", "z_x", "z_y")},
    }


def window_of(window):
    """As the front end takes it."""
    return {**window._asdict(), "tile_x": window.left // TILE * TILE, "tile_y": window.low // TILE * TILE}


def some_window(rng):
    """A tile, or a part of it."""
    x, y = (TILE * rng.choice((0, 1, rng.randrange(63))) for _ in range(2))
    if rng.random() < 0.5:
        return Window(x, x + TILE, y, y + TILE)
    left, low = (rng.randrange(TILE) for _ in range(2))
    right, high = rng.randrange(left, TILE) + 1, rng.randrange(low, TILE) + 1
    return Window(x + left, x + right, y + low, y + high)
