"""What random frames cover: records and their fields, and what the generator can be asked for of them."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from amaranth.hdl import Shape
from amaranth.lib import data, enum

from vc4.records.control import RECORDS, Threads
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode, VgPrimitiveType
from vc4.records.tile_buffer import TileBuffer

from ..coverage.groups import Gap, Group
from ..coverage.products import product_group
from ..random_frames import RandomFrame
from ..random_frames.things import Lists, Load, Shader, State, Store
from ..random_programs import Wish
from .job import SteeredCell

__all__ = ["GROUPS", "observed", "wishes"]

#: Records whose fields are counted.
_FIELDS = (
    Code.TILE_RENDERING_MODE_CONFIGURATION,
    Code.CONFIGURATION_BITS,
    Code.STORE_TILE_BUFFER_GENERAL,
    Code.LOAD_TILE_BUFFER_GENERAL,
    Code.STORE_FULL_RESOLUTION_TILE_BUFFER,
    Code.RELOAD_FULL_RESOLUTION_TILE_BUFFER,
)
#: Fields are counted that have so many bits at the most.
_MOST_BITS = 3
#: Fields that mean something only together with others of the frame: a generator is not asked for values of these.
_TOGETHER = {
    *("multisample_mode", "tile_buffer_64_bit_color_depth", "select_coverage_mode", "double_buffer_in_non_ms_mode"),
    *("coverage_pipe_select", "last_tile_of_frame", "early_z_disable", "disable_double_buffer_swap"),
}
#: Values that random frames do not have.
_NEVER = {
    ("early_z_disable", 0): "random frames leave early Z off, as their programs need not test Z",
    ("disable_double_buffer_swap", 1): "random frames leave the tile buffers to swap",
    ("buffer_to_store", TileBuffer.NONE.value): "random frames store something",
}
_RENDERS = tuple(code for code in Code if Threads.RENDERING in RECORDS[code.value].threads)
_SHADERS = ("GL or NV, one thread", "GL or NV, two threads", "VG, one thread", "VG, two threads")
_MODES = {"primitive_mode": PrimitiveMode, "primitive_type": VgPrimitiveType}


def _labels(shape: Any) -> list[str]:
    """A name for each value of a field that is no reserved one."""
    if isinstance(shape, type) and issubclass(shape, enum.Enum):
        names = {member.value: member.name.lower() for member in shape}
        return [names.get(value, "") for value in range(1 << Shape.cast(shape).width)]
    return [str(value) for value in range(1 << Shape.cast(shape).width)]


def _fields(code: Code) -> Iterator[tuple[str, Any]]:
    """Those of a record that are counted, with their shapes."""
    for name, field in data.Layout.cast(RECORDS[code.value].layout):
        if field.width <= _MOST_BITS and not name.startswith("unused"):
            yield name, field.shape


#: Of each record the fields with their values, in the order of the cells.
_VALUES = {
    code: [(name, value, label) for name, shape in _fields(code) for value, label in enumerate(_labels(shape)) if label]
    for code in _FIELDS
}


def _record_group(code: Code) -> Group:
    labels = [f"{name}={label}" for name, _, label in _VALUES[code]]
    numbers = {(name, value): number for number, (name, value, _) in enumerate(_VALUES[code])}
    gaps = [Gap(why, {code.name: (numbers[key],)}) for key, why in _NEVER.items() if key in numbers]
    return product_group(f"{code.name.lower()}: field", {code.name: labels}, gaps)


def _product(code: Code, *names: str) -> Group:
    """Values of some fields of a record together."""
    shapes = dict(_fields(code))
    dimensions = {f"{code.name} {name}": _labels(shapes[name]) for name in names}
    gaps = [
        Gap("the value is reserved", {key: (value,)})
        for key, labels in dimensions.items()
        for value, label in enumerate(labels)
        if not label
    ]
    for (name, value), why in _NEVER.items():
        if name in names:
            gaps.append(Gap(why, {f"{code.name} {name}": (value,)}))
    return product_group(f"{code.name.lower()}: {' x '.join(names)}", dimensions, gaps)


def _missing_records() -> Iterator[Gap]:
    """Records that no random frame has."""
    reasons = {
        "random frames do not stop in the middle": (Code.HALT, Code.FLUSH, Code.FLUSH_ALL_STATE),
        "random frames are not binned: nobody waits": (Code.INCREMENT_SEMAPHORE, Code.WAIT_ON_SEMAPHORE),
        "only what a clipper needs": (Code.CLIPPER_XY_SCALING, Code.CLIPPER_Z_SCALE_AND_OFFSET),
    }
    for why, codes in reasons.items():
        numbers = tuple(_RENDERS.index(code) for code in codes if code in _RENDERS)
        if numbers:
            yield Gap(why, {"record": numbers})


_STORE, _LOAD, _BITS = Code.STORE_TILE_BUFFER_GENERAL, Code.LOAD_TILE_BUFFER_GENERAL, Code.CONFIGURATION_BITS
GROUPS = (
    product_group("record", {"record": [code.name for code in _RENDERS]}, tuple(_missing_records())),
    *map(_record_group, _FIELDS),
    _product(_STORE, "buffer_to_store", "format", "pixel_color_format", "mode"),
    _product(_LOAD, "buffer_to_load", "format", "pixel_color_format"),
    _product(Code.TILE_RENDERING_MODE_CONFIGURATION, "frame_buffer_color_format", "memory_format", "decimate_mode"),
    _product(_BITS, "depth_test_function", "z_updates_enable", "rasteriser_oversample_mode"),
    _product(_BITS, "coverage_update_mode", "coverage_read_type", "coverage_read_mode", "rasteriser_oversample_mode"),
    product_group(
        "primitives x shader", {"primitive_mode": [one.name for one in PrimitiveMode], "shader": _SHADERS[:2]}
    ),
    product_group(
        "coordinates x shader", {"primitive_type": [one.name for one in VgPrimitiveType], "shader": _SHADERS[2:]}
    ),
)


def observed(frame: RandomFrame, codes: Iterable[Code]) -> Iterator[dict[str, list[int]]]:
    """What a frame has, as the groups want it; `codes`: those of its list in memory."""
    yield {"record": [_RENDERS.index(code) for code in codes]}
    records = [(thing.code, thing.fields) for thing in frame.things if isinstance(thing, State | Load | Store)]
    records += [(Code.TILE_RENDERING_MODE_CONFIGURATION, frame.frame.fields), *frame.last]
    for code, fields in records:
        if code in _VALUES:
            values = {name: _number(fields.get(name, 0)) for name, _ in _fields(code)}
            yield {code.name: [number for number, row in enumerate(_VALUES[code]) if values[row[0]] == row[1]]}
            yield {f"{code.name} {name}": [value] for name, value in values.items()}
    shaders = {thing.number: thing for thing in frame.things if isinstance(thing, Shader)}
    for thing in frame.things:
        if isinstance(thing, Lists):
            for name, modes in _MODES.items():
                if name in thing.fields:
                    mode = list(modes).index(modes(thing.fields[name]))
                    yield {name: [mode], "shader": [int(shaders[thing.shader].threaded)]}


def _number(value: Any) -> int:
    return int(getattr(value, "value", value))


def wishes(cells: Iterable[SteeredCell]) -> Iterator[Wish]:
    """Cells as a generator of frames knows them; some it does not."""
    groups = {group.name: group for group in GROUPS}
    for cell in cells:
        group = groups[cell.group]
        numbers = np.unravel_index(cell.cell, group.shape)
        code = next((code for code in _FIELDS if next(iter(group.dimensions)).split()[0] == code.name), None)
        if code is None:
            continue
        if len(group.dimensions) == 1:
            found = dict([_VALUES[code][int(numbers[0])][:2]])
        else:
            names = (name.split()[1] for name in group.dimensions)
            found = {name: int(number) for name, number in zip(names, numbers, strict=True)}
        if not _TOGETHER & set(found):
            shapes = dict(_fields(code))
            yield Wish(code.name, {name: (_member(shapes[name], value),) for name, value in found.items()}, cell.weight)


def _member(shape: Any, value: int) -> Any:
    """The value of a field, as the generator has it."""
    return shape(value) if isinstance(shape, type) and issubclass(shape, enum.Enum) else value
