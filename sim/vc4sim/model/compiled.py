"""Runs the model's functions of plain integers: interpreted for short work, compiled by Numba once a run pays for it.

A `kernel` is a function of integers, of arrays of integers, and of named tuples of these, that calls nothing but kernels.
Interpreted it gets views, compiled arrays or a record, see `State`: the same numbers, and an index of a view gives an `int`.
Numbers have 64 bits with their sign. Tables of kernels are tuples, which become arrays when they are compiled. Without
Numba everything is interpreted.

``VC4_MODEL`` in the environment can be ``interpreted`` or ``compiled``; otherwise `Entry` decides.
"""

import fcntl
import gc
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar

import numpy as np

from ..cache import cache_folder
from .alarms import without_alarms

__all__ = [
    "Buffers",
    "Entry",
    "State",
    "forced",
    "inlined",
    "is_available",
    "kernel",
]

_T = TypeVar("_T")
#: Seconds of interpreted work after which an entry is compiled, and is loaded if that was done before. To compile takes longer,
#: 5 to 30 s, but then it is there for all that comes later.
_COMPILATION, _LOADING = 8.0, 0.6
#: Tables from this size on become arrays.
_TABLE = 5

_INTERPRETED, _COMPILED = "interpreted", "compiled"
_mode = os.environ.get("VC4_MODEL", "")

_kernels: set[FunctionType] = set()
_entries: set[FunctionType] = set()
_inlined: set[FunctionType] = set()
_twins: dict[FunctionType, Any] = {}
_layouts: dict[np.dtype, int] = {}


def kernel(function: _T) -> _T:
    """Marks a function as one that can be compiled."""
    assert isinstance(function, FunctionType)
    _kernels.add(function)
    return function


def inlined(function: _T) -> _T:
    """Marks a kernel that becomes a part of those that call it: arrays take time to be passed. For one that has one caller."""
    _inlined.add(kernel(function))  # type: ignore[arg-type]
    return function


def _kernels_of(function: FunctionType) -> Iterator[FunctionType]:
    """The kernels that a kernel calls."""
    return (one for one in _globals(function) if isinstance(one, FunctionType) and one in _kernels)


def _globals(function: FunctionType) -> Iterator[Any]:
    """What a function knows of its module."""
    return (function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__)


def _names(code: CodeType) -> Iterator[str]:
    return (name for one in _codes(code) for name in one.co_names)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """That of a function, and of those within."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _options(function: FunctionType) -> dict[str, Any]:
    """How Numba compiles it."""
    # Kernels make no arrays, so nobody has to count who knows one: that took half of the time. Python calls only entries.
    return {
        "error_model": "numpy",
        "_nrt": False,
        "forceinline": function in _inlined,
        **dict.fromkeys(("no_cpython_wrapper", "no_cfunc_wrapper"), function not in _entries),
    }


def _folder() -> Path:
    """Where compiled code is kept."""
    return cache_folder() / "model"


@cache
def _identity(function: FunctionType) -> str:
    """What compiled code is made from: instructions, the numbers they know, kernels they call, and options.

    Numba sees only whether the file of a function has changed.
    """
    found = hashlib.sha256(repr(_options(function)).encode())
    names = list(_names(function.__code__))
    for code in _codes(function.__code__):
        numbers = [one for one in code.co_consts if not isinstance(one, CodeType)]
        found.update(repr((code.co_code, numbers, code.co_names, code.co_varnames)).encode())
    known = [function.__globals__, *(vars(one) for one in _globals(function) if isinstance(one, ModuleType))]
    for numbers in known:
        found.update(repr([(n, numbers[n]) for n in names if isinstance(numbers.get(n), int | tuple)]).encode())
    for called in _kernels_of(function):
        found.update(_identity(called).encode())
    return found.hexdigest()[:16]


@cache
def _numba() -> Any:
    """Numba, with what kernels need of it that it lacks."""
    from . import numba_types

    _folder().mkdir(parents=True, exist_ok=True)
    numba_types.numba.core.config.CACHE_DIR = str(_folder())
    return numba_types


def _twin(function: FunctionType) -> Any:
    """The compiled form of a kernel."""
    if function not in _twins:
        known = dict(function.__globals__)
        for called in _kernels_of(function):
            known[called.__name__] = _twin(called)
        for name in _names(function.__code__):
            value = known.get(name)
            if isinstance(value, tuple) and len(value) >= _TABLE:
                known[name] = np.array(value, np.int64)
        copy = FunctionType(function.__code__, known, function.__name__, function.__defaults__)
        copy.__qualname__, copy.__module__ = f"{function.__qualname__}_{_identity(function)}", function.__module__
        _twins[function] = _numba().numba.njit(copy, cache=True, **_options(function))
    return _twins[function]


class Buffers(Generic[_T]):
    """A named tuple of arrays that kernels work on, each of any size, but always of the same type for the same entry.

    arrays : for NumPy
    passed : for compiled code; of a `State` its address
    layout : a number for each layout of a `State`
    """

    layout = 0

    def __init__(self, arrays: _T):
        self.arrays = arrays
        self.passed: Any = arrays

    @cached_property
    def views(self) -> _T:
        """For interpreted code."""
        return _view(self.arrays)


class State(Buffers[_T]):
    """The same for arrays whose sizes are always the same; tuples may have tuples in them.

    What it holds lies in one record, so that compiled code gets a single address: `arrays` are new ones, which lie there.

    record : an array of that one
    """

    def __init__(self, arrays: _T):
        record = np.zeros(1, _dtype(arrays))
        _fill(record, arrays)
        self._lie_in(record, _laid(record, arrays))

    def _lie_in(self, record: np.ndarray, arrays: _T) -> None:
        super().__init__(arrays)
        self.record = record
        self.passed = record.ctypes.data
        self.layout = _layouts.setdefault(record.dtype, len(_layouts) + 1)

    def part(self, name: str) -> "State[Any]":
        """One of the tuples in it, by itself; it lies in the same record."""
        found = State.__new__(State)
        found._lie_in(self.record[name], getattr(self.arrays, name))
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
        self._function = kernel(function)
        _entries.add(self._function)
        self._spent = 0.0
        #: Code for arguments with these layouts.
        self._compiled: dict[tuple[int, ...], Any] = {}

    def __call__(self, *arguments: Any) -> Any:
        if _mode != _INTERPRETED:
            layouts = tuple([a.layout for a in arguments if isinstance(a, Buffers)])
            if layouts not in self._compiled and self._pays():
                self._compile(arguments, layouts)
            if code := self._compiled.get(layouts):
                return code(*[a.passed if isinstance(a, Buffers) else a for a in arguments])
        begin = time.perf_counter()
        try:
            return self._function(*(a.views if isinstance(a, Buffers) else a for a in arguments))
        finally:
            self._spent += time.perf_counter() - begin

    @property
    def _mark(self) -> Path:
        """A file that is there if this has been compiled before."""
        return _folder() / f"{self._function.__module__}.{self._function.__name__}_{_identity(self._function)}"

    def _pays(self) -> bool:
        if _mode == _COMPILED:
            return is_available()
        is_long = self._spent > _LOADING and (self._spent > _COMPILATION or self._mark.exists())
        return is_long and is_available()

    def _compile(self, arguments: tuple[Any, ...], layouts: tuple[int, ...]) -> None:
        """For arguments like these; unless another process is compiling, which then leaves it for this one, too."""
        _folder().mkdir(parents=True, exist_ok=True)
        with (_folder() / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if _mode == _COMPILED else fcntl.LOCK_NB))
            except BlockingIOError:
                return
            with without_alarms():
                # What is called then is the code itself: Numba's own function looks at the types of arguments each time.
                types = tuple(map(_numba().type_of, arguments))
                self._compiled[layouts] = _twin(self._function).compile(types)
                gc.freeze()  # Numba stays; without this all of it is looked through again and again
            self._mark.touch()


def is_available() -> bool:
    """Whether there is a compiler."""
    return find_spec("numba") is not None


@contextmanager
def forced(mode: str) -> Iterator[None]:
    """Everything is ``interpreted``, or ``compiled`` if there is a compiler."""
    global _mode
    before, _mode = _mode, mode
    try:
        yield
    finally:
        _mode = before
