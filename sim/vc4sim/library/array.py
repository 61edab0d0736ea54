"""Arrays in the memory of a GPU."""

from types import EllipsisType

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..problem import BadInput
from ..workload.array_type import ArrayType
from ..workload.memory import GpuMemory

__all__ = ["Array", "Index"]

#: What chooses a part of an array.
Index = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]


class Array:
    """An array in the memory of a GPU, which programs read and write, see `Gpu.array`. Its elements lie row after row.

    A part whose elements follow each other is an `Array` itself, in the same memory: `x[16:32]`, or `x[3]` of a matrix. Any part can be
    written: `x[::2] = 1.5`. NumPy takes it as an array: `numpy.sum(x)`.

    address : of its first byte
    dtype : of its elements, as NumPy has it
    shape : elements along each axis
    """

    def __init__(self, memory: GpuMemory, address: int, type: ArrayType):
        self._memory, self._type = memory, type
        self.address = address
        self.dtype = type.dtype
        self.shape = type.shape

    @property
    def size(self) -> int:
        """Elements."""
        return self.nbytes // self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes."""
        return self._type.nbytes

    def numpy(self) -> np.ndarray:
        """What it holds now: an array of NumPy of its own, with this type and shape."""
        return self._view().copy()

    def _view(self) -> np.ndarray:
        """The same bytes, until memory grows."""
        return self._type.array(self._memory.view(self.address, self.nbytes).data)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array of a GPU is copied when NumPy takes it")
        return self.numpy().astype(self.dtype if dtype is None else dtype, copy=False)

    def __getitem__(self, index: Index) -> "Array":
        """A part, in the same memory. Raises `BadInput` if its elements do not follow each other, `IndexError` outside."""
        whole = self._view()
        key = index if isinstance(index, tuple) else (index,)
        part = whole[key if Ellipsis in key else (*key, ...)]  # never a number
        type = ArrayType(self.dtype, part.shape)
        if not (part.flags.c_contiguous and np.may_share_memory(part, whole)):
            raise BadInput("a part of an array of the GPU is what lies together: of others, take .numpy()")
        distance = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        return Array(self._memory, self.address + distance, type)

    def __setitem__(self, index: Index, values: ArrayLike) -> None:
        """Write a part; `values` are converted as NumPy does it."""
        self._view()[index] = np.asarray(values)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"Array({self._type}, address={self.address:#010x})"
