"""Runs the model's functions of plain integers: interpreted for short work, compiled by Numba once a run pays for it.

A `kernel` is a function of integers, of arrays of integers, and of named tuples of these, that calls nothing but kernels.
Interpreted it gets views, compiled arrays or a
record, see `State`: the same numbers, and an index of a view gives an `int`. Numbers
have 64 bits with their sign. Tables of kernels are tuples, which become arrays when they are compiled. Without Numba
everything is interpreted.

``VC4_MODEL`` in the environment can be ``interpreted`` or ``compiled``; otherwise `Entry` decides.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Generic, TypeVar

import numpy as np

__all__ = [
    "Buffers",
    "Entry",
    "State",
    "cache_folder",
    "elementwise",
    "forced",
    "inlined",
    "is_available",
    "kernel",
    "kernels_of",
]

_T = TypeVar("_T")
#: Seconds that it takes to compile an entry, and to load one that was compiled before.
_COMPILATION, _LOADING = 8.0, 0.6
#: Tables from this size on become arrays.
_TABLE = 5

_INTERPRETED, _COMPILED = "interpreted", "compiled"
_mode = os.environ.get("VC4_MODEL", "")

_kernels: set[FunctionType] = set()
_inlined: set[FunctionType] = set()
_twins: dict[FunctionType, Any] = {}


def kernel(function: _T) -> _T:
    """Marks a function as one that can be compiled."""
    assert isinstance(function, FunctionType)
    _kernels.add(function)
    return function


def inlined(function: _T) -> _T:
    """Marks a kernel that becomes a part of those that call it: arrays take time to be passed. For one that has one caller."""
    _inlined.add(kernel(function))  # type: ignore[arg-type]
    return function


def kernels_of(function: FunctionType) -> Iterator[FunctionType]:
    """The kernels that a kernel calls."""
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType) and value in _kernels:
            yield value


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def cache_folder() -> Path:
    """Where compiled code is kept: a folder for each content of the model's source."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "vc4-rtl" / "model" / _digest()


@cache
def _digest() -> str:
    """Of all that compiled code is made from: Numba sees only whether the file of a function has changed."""
    import vc4.isa
    import vc4.records

    found = hashlib.sha256()
    for package in (__file__, vc4.isa.__file__, vc4.records.__file__):
        for path in sorted(Path(package).parent.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


@cache
def _numba() -> Any:
    """Numba, with what kernels use that it lacks; `None` without it."""
    if find_spec("numba") is None:
        return None
    import numba
    from numba.core import types
    from numba.cpython.unsafe.numbers import leading_zeros
    from numba.extending import overload_method

    @overload_method(types.Integer, "bit_length")
    def _bit_length(value):
        return lambda value: 64 - leading_zeros(np.int64(value))

    cache_folder().mkdir(parents=True, exist_ok=True)
    numba.core.config.CACHE_DIR = str(cache_folder())
    return numba


def _twin(function: FunctionType) -> Any:
    """The compiled form of a kernel."""
    if function not in _twins:
        known = dict(function.__globals__)
        for called in kernels_of(function):
            known[called.__name__] = _twin(called)
        for name in _names(function.__code__):
            value = known.get(name)
            if isinstance(value, tuple) and len(value) >= _TABLE:
                known[name] = np.array(value, np.int64)
        copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
        copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
        # Kernels make no arrays, so nobody has to count who knows one: that took half of the time.
        options = {"error_model": "numpy", "_nrt": False, "forceinline": function in _inlined}
        _twins[function] = _numba().njit(copy, cache=True, **options)
    return _twins[function]


class Buffers(Generic[_T]):
    """A named tuple of arrays that kernels work on, each of any size.

    arrays : for NumPy
    views : for interpreted code
    passed : for compiled code
    """

    def __init__(self, arrays: _T):
        self.arrays = arrays
        self.views = _view(arrays)
        self.passed: Any = arrays


class State(Buffers[_T]):
    """The same for arrays whose sizes are always the same; tuples may have tuples in them.

    What it holds lies in one record, so that compiled code gets a single address: `arrays` are new ones, which lie there.
    """

    def __init__(self, arrays: _T):
        self._record = np.zeros(1, _dtype(arrays))
        _fill(self._record, arrays)
        super().__init__(_laid(self._record, arrays))
        self.passed = self._record[0]

    def part(self, name: str) -> "Buffers[Any]":
        """One of the tuples in it, by itself; it lies in the same record."""
        found = Buffers(getattr(self.arrays, name))
        found.passed = self._record[name][0]
        return found


def _view(part: Any) -> Any:
    if isinstance(part, tuple):
        return type(part)(*map(_view, part))  # a named tuple
    return memoryview(part)


def _dtype(part: Any) -> Any:
    """The type of the record of a named tuple."""
    names = [(name, _dtype(value) if isinstance(value, tuple) else value) for name, value in part._asdict().items()]
    fields = [(name, one) if isinstance(one, np.dtype) else (name, one.dtype, one.shape) for name, one in names]
    return np.dtype(fields, align=True)


def _fill(record: np.ndarray, part: Any) -> None:
    for name, value in part._asdict().items():
        if isinstance(value, tuple):
            _fill(record[name], value)
        else:
            record[name][0] = value


def _laid(record: np.ndarray, part: Any) -> Any:
    """A named tuple of the arrays of a record."""
    fields = part._asdict().items()
    return type(part)(*(_laid(record[n], one) if isinstance(one, tuple) else record[n][0] for n, one in fields))


class Entry:
    """A kernel that Python calls: `entry(*arguments)`, each an integer, a `State` or `Buffers`.

    It is compiled as soon as it has run for as long as that would take; so a long loop should come back sometimes.
    """

    def __init__(self, function: Callable[..., Any]):
        assert isinstance(function, FunctionType)
        _kernels.add(function)
        self._function = function
        self._spent = 0.0
        self._compiled: Any = None
        self._is_marked = False

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None and self._pays():
            self._compiled = _twin(self._function)
        if self._compiled is not None and _mode != _INTERPRETED:
            result = self._compiled(*(a.passed if isinstance(a, Buffers) else a for a in arguments))
            self._keep_in_mind()
            return result
        begin = time.perf_counter()
        try:
            return self._function(*(a.views if isinstance(a, Buffers) else a for a in arguments))
        finally:
            self._spent += time.perf_counter() - begin

    @property
    def _mark(self) -> Path:
        """A file that is there if this has been compiled before."""
        return cache_folder() / f"{self._function.__module__}.{self._function.__name__}"

    def _keep_in_mind(self) -> None:
        if not self._is_marked:
            self._mark.touch()
            self._is_marked = True

    def _pays(self) -> bool:
        if _mode == _INTERPRETED:
            return False
        is_short = self._spent < _LOADING or (self._spent < _COMPILATION and not self._mark.exists())
        return (_mode == _COMPILED or not is_short) and is_available()


def is_available() -> bool:
    """Whether there is a compiler."""
    return _numba() is not None


@contextmanager
def forced(mode: str) -> Iterator[None]:
    """Everything is ``interpreted``, or ``compiled`` if there is a compiler."""
    global _mode
    before, _mode = _mode, mode
    try:
        yield
    finally:
        _mode = before


def elementwise(function: Callable[..., Any], *operands: Any) -> Any:
    """A kernel of integers for each element of arrays that fit together, interpreted; for tests.

    Returns an array (int64), or one of each number that the kernel returns.
    """
    arrays = np.broadcast_arrays(*operands)
    columns = (array.reshape(-1).astype(np.int64).tolist() for array in arrays)
    results = np.array(list(map(function, *columns)), np.int64)
    if results.ndim == 1:
        return results.reshape(arrays[0].shape)
    return tuple(column.reshape(arrays[0].shape) for column in results.T)
