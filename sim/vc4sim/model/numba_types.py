"""What kernels need of Numba that it lacks; only who compiles imports this."""

from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.pythonapi import NativeValue, unbox
from numba.cpython.unsafe.numbers import leading_zeros
from numba.extending import overload_method

from .compiled import Buffers, State

__all__ = ["PlacedRecord", "numba", "type_of"]


@overload_method(types.Integer, "bit_length")
def _bit_length(value):
    return lambda value: 64 - leading_zeros(np.int64(value))


class PlacedRecord(types.Record):
    """A record that Python gives by its address; if it gives the record, Numba needs 30 us to find out where that lies."""

    def __init__(self, record: np.void):
        found = numba.typeof(record)
        fields = [(name, field._asdict()) for name, field in found.fields.items()]
        super().__init__(fields, found.size, found.aligned)
        self.name = f"Placed{self.name}"

    def can_convert_to(self, typingctx: Any, other: Any) -> None:
        """It cannot: Numba would warn of it as an experiment."""


register_default(PlacedRecord)(models.RecordModel)


@unbox(PlacedRecord)
def _unbox(record: PlacedRecord, address: Any, compiler: Any) -> NativeValue:
    pointer = compiler.pyapi.long_as_voidptr(address)
    value = compiler.builder.bitcast(pointer, compiler.context.get_value_type(record))
    return NativeValue(value, is_error=compiler.pyapi.c_api_error())


def type_of(argument: Any) -> Any:
    """The type of an argument of an entry, see `compiled`."""
    if isinstance(argument, State):
        return PlacedRecord(argument.record[0])
    return numba.typeof(argument.passed) if isinstance(argument, Buffers) else numba.int64
