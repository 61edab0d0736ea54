"""Which components are alike: the same class in the same state, which elaborates to the same hardware."""

from collections.abc import Hashable, Iterator
from enum import Enum

from amaranth.hdl import Signal
from amaranth.lib import data, wiring

__all__ = ["form"]

#: Attributes of Amaranth that say where an object was made, and whether somebody has used it.
_ABOUT = "_MustUse__"
_PLAIN = (int, str, bytes, float, type(None), Enum, range, frozenset, type)


def form(component: wiring.Component) -> Hashable:
    """All that `component` makes its hardware from; components whose forms are equal are alike.

    That is its class and its attributes. Signals stand for themselves by what is declared of them and by the order in which
    they are met, so that each component may have its own. What has neither attributes nor a known type is like nothing else.
    """
    return _form(component, {})


def _form(value: object, met: dict[int, int]) -> Hashable:
    if isinstance(value, _PLAIN) or hasattr(value, "__qualname__"):
        return type(value), value
    if id(value) in met:
        return "met", met[id(value)]
    met[id(value)] = len(met)
    if isinstance(value, Signal):
        return Signal, value.name, repr(value.shape()), value.init, value.reset_less, repr(value.attrs)
    if isinstance(value, data.Layout):
        return type(value), repr(value)
    parts = _parts(value)
    return ("alone", id(value)) if parts is None else (type(value), *(_form(part, met) for part in parts))


def _parts(value: object) -> Iterator[object] | None:
    """What `value` consists of, if that is known."""
    match value:
        case list() | tuple():
            return iter(value)
        case dict():
            return (part for item in value.items() for part in item)
        case data.View():
            return iter((repr(value.shape()), value.as_value()))
        case _ if hasattr(value, "__dict__"):
            return (part for item in vars(value).items() if not item[0].startswith(_ABOUT) for part in item)
    return None
