"""Random records of state."""

from typing import Any

from vc4.records.control import ControlCode as Code
from vc4.records.state import CoverageUpdate, DepthTest, Oversample

from .values import Random

__all__ = ["Place", "random_configuration", "random_state"]

#: What is drawn in a tile is in it mostly: its first pixel, its size.
Place = tuple[int, int, int, int]
_CODES = (
    Code.FLAT_SHADE_FLAGS,
    Code.POINT_SIZE,
    Code.LINE_WIDTH,
    Code.RHT_X_BOUNDARY,
    Code.DEPTH_OFFSET,
    Code.CLIP_WINDOW,
    Code.VIEWPORT_OFFSET,
    Code.Z_CLIPPING_PLANES,
)


def random_configuration(rng: Random, *, coverage: bool, pipe: bool) -> dict[str, Any]:
    """Configuration bits.

    coverage : the frame uses the coverage pipe
    pipe : these do
    """
    return {
        "enable_forward_facing_primitive": rng.bit(0.9),
        "enable_reverse_facing_primitive": rng.bit(0.9),
        "clockwise_primitives": rng.bit(0.3),
        "enable_depth_offset": rng.bit(0.3),
        "antialiased_points_and_lines": rng.bit(0.05),
        "coverage_read_type": rng.bit(0.4),
        "rasteriser_oversample_mode": rng.mostly(
            Oversample.X16 if pipe else Oversample.NONE, tuple(Oversample), 0.5 if coverage else 0.3
        ),
        "coverage_pipe_select": int(pipe),
        "coverage_update_mode": rng.choice(tuple(CoverageUpdate)),
        "coverage_read_mode": rng.bit(),
        "depth_test_function": rng.mostly(DepthTest.ALWAYS, tuple(DepthTest), 0.7),
        "z_updates_enable": rng.bit(0.7),
        "early_z_enable": rng.bit(0.3),
        "early_z_updates_enable": rng.bit(0.3),
    }


def random_state(rng: Random, place: Place, *, code: Code | None = None) -> tuple[Code, dict[str, Any]]:
    """A record that says how primitives are drawn, but for the configuration bits."""
    x, y, width, height = place
    code = code or rng.choice(_CODES)
    match code:
        case Code.FLAT_SHADE_FLAGS:
            return code, {"flat_shading_flags": rng.choice((0, rng.getrandbits(32), rng.getrandbits(3)))}
        case Code.POINT_SIZE:
            return code, {"point_size": rng.number(0.5, rng.choice((3, 20)))}
        case Code.LINE_WIDTH:
            return code, {"line_width": rng.number(0.2, rng.choice((2, 8)))}
        case Code.RHT_X_BOUNDARY:
            return code, {"rht_primitive_x_boundary": 16 * x + rng.randrange(-64, 16 * width + 64)}
        case Code.DEPTH_OFFSET:
            largest = rng.choice((0x4000, 0x5C00, 0x7C01))
            offsets = [rng.randrange(largest) | rng.bit() << 15 for _ in range(2)]
            return code, {"depth_offset_factor": offsets[0], "depth_offset_units": offsets[1]}
        case Code.CLIP_WINDOW:
            return code, {
                "clip_window_left_pixel_coordinate": max(0, x + rng.randrange(-4, width // 2)),
                "clip_window_bottom_pixel_coordinate": max(0, y + rng.randrange(-4, height // 2)),
                "clip_window_width_in_pixels": rng.choice((0, 1, rng.randrange(width + 9), rng.randrange(width + 9))),
                "clip_window_height_in_pixels": rng.choice((0, 1, rng.randrange(height), rng.randrange(height + 9))),
            }
        case Code.VIEWPORT_OFFSET:
            offsets = [rng.mostly(rng.randrange(-160, 161), range(-0x8000, 0x8000), 0.05) for _ in range(2)]
            return code, {"viewport_centre_x_coordinate": offsets[0], "viewport_centre_y_coordinate": offsets[1]}
        case _:
            return Code.Z_CLIPPING_PLANES, {
                "minimum_zw": rng.choice((0, rng.number(0, 0.5))),
                "maximum_zw": rng.choice((0x3F80_0000, rng.number(0.4, 1))),
            }
