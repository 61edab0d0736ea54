"""Types of arrays in the memory of the GPU: elements, by the names that the command has for them, and shapes."""

import io
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from ..problem import BadInput
from .files import MAX_BYTES, read_bytes

__all__ = ["ELEMENTS", "ArrayType", "element_type", "read_array"]

#: Elements by name: what the GPU stores or looks up, as NumPy has it, the low byte first.
ELEMENTS = {
    "f32": np.dtype("<f4"),
    "i32": np.dtype("<i4"),
    "u32": np.dtype("<u4"),
    "f16": np.dtype("<f2"),
    "i16": np.dtype("<i2"),
    "u16": np.dtype("<u2"),
    "i8": np.dtype("i1"),
    "u8": np.dtype("u1"),
}
_NAMES = {dtype: name for name, dtype in ELEMENTS.items()}
_SHAPE = re.compile(r"[0-9]{1,9}(x[0-9]{1,9}){0,7}", re.ASCII)


def element_type(dtype: DTypeLike) -> np.dtype:
    """A type of elements: one of `ELEMENTS` by its name, or what NumPy takes. Raises `BadInput` for any other."""
    try:
        found = ELEMENTS[dtype] if isinstance(dtype, str) and dtype in ELEMENTS else np.dtype(dtype)
    except (TypeError, ValueError):
        raise BadInput(f"{dtype!r} is no type of elements: there are {', '.join(ELEMENTS)}") from None
    found = found.newbyteorder("<")
    if found not in _NAMES:
        raise BadInput(f"{found} is no type of elements of the GPU: there are {', '.join(ELEMENTS)}")
    return found


@dataclass(frozen=True, slots=True)
class ArrayType:
    """What an array is: the type of its elements, one of `ELEMENTS`, and its shape. Elements lie row after row.

    As text it is what the command takes, like `f32:16x16`. Raises `BadInput` if it has no elements, or is larger than memory
    may be.
    """

    dtype: np.dtype
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if min(self.shape, default=1) < 1 or self.nbytes > MAX_BYTES:
            raise BadInput(f"an array must have 1 to {MAX_BYTES} bytes, not be {self}")

    @classmethod
    def parse(cls, text: str) -> "ArrayType":
        """The type that a text like `f32:16x16` says. Raises `BadInput`."""
        name, _, shape = text.partition(":")
        if name not in ELEMENTS:
            raise BadInput(f"{name} is no type of elements: there are {', '.join(ELEMENTS)}")
        if not _SHAPE.fullmatch(shape):
            raise BadInput(f"{shape} is no shape: it is a number of elements, or several like 16x16")
        return cls(ELEMENTS[name], tuple(map(int, shape.split("x"))))

    @classmethod
    def of(cls, values: np.ndarray) -> "ArrayType":
        """The type of an array of NumPy. Raises `BadInput` for elements that the GPU does not have."""
        return cls(element_type(values.dtype), values.shape)

    @property
    def nbytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: bytes | memoryview) -> np.ndarray:
        """What `nbytes` bytes are as an array of NumPy, which shares them."""
        return np.frombuffer(data, self.dtype).reshape(self.shape)

    def data(self, values: np.ndarray) -> bytes:
        """The bytes of an array of this shape, whose elements are taken as this type."""
        return np.ascontiguousarray(values, self.dtype).tobytes()

    def taken(self, values: np.ndarray) -> np.ndarray:
        """An array of another type as this one. Raises `BadInput` for another shape, and for numbers that this type does not have, but
        for floats, which are rounded.
        """
        if values.shape != self.shape:
            raise BadInput(f"has the shape {_shape(values.shape)}, not {_shape(self.shape)}")
        if not np.can_cast(values.dtype, self.dtype, "same_kind"):
            raise BadInput(f"holds {values.dtype}, not {self.dtype}")
        with np.errstate(over="ignore"):
            found = np.ascontiguousarray(values, self.dtype)
        if self.dtype.kind != "f" and not np.array_equal(found, values):
            raise BadInput(f"holds numbers that are no {self.dtype}")
        return found

    def __str__(self) -> str:
        return f"{_NAMES[self.dtype]}:{_shape(self.shape)}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape or (1,)))


def read_array(path: str | Path) -> np.ndarray:
    """The array in a file of NumPy, `.npy`. Raises `BadInput` for anything else."""
    data = io.BytesIO(read_bytes(path))
    try:
        return np.lib.format.read_array(data, allow_pickle=False)
    except Exception as error:  # whatever its header makes NumPy do
        raise BadInput(f"{path}: no array of NumPy that can be read: {error}") from None
