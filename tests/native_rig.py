"""Components as native code, with a bench in C++ around each of them."""

import ctypes
from collections.abc import Callable

from amaranth.back import rtlil
from amaranth.lib import wiring

from vc4sim.backends.parts import hardware_texts
from vc4sim.cache import cache_folder
from vc4sim.cxxrtl.build import Part, build_once
from vc4sim.native.build import build_alone, flags, source_texts

__all__ = ["native_rig"]


def native_rig(make: Callable[[], tuple[wiring.Component, str]], *made_of: str) -> ctypes.CDLL:
    """The library of a component, class `design::Design`, and of a bench, C++ that uses it with `design_ports`, as `make` gives them.

    It is kept for next time, for the texts in `made_of` and the sources of the hardware: both must depend on nothing else.
    """

    def build():
        component, bench = make()
        return build_alone(Part(rtlil.convert(component, emit_src=False)), 1, bench, cache_folder())

    cache_folder().mkdir(parents=True, exist_ok=True)
    return build_once([*made_of, flags(), *hardware_texts(), *source_texts()], build, cache_folder())
