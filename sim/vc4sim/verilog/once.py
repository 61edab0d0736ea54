"""Elaborates each kind of component once, however many there are of it."""

import re
from collections.abc import Hashable, Iterator
from functools import reduce
from operator import or_

from amaranth import ClockSignal, Instance, ResetSignal
from amaranth.back import rtlil
from amaranth.hdl import Const, Elaboratable, Fragment, Value
from amaranth.lib import wiring

from ..hierarchy import DIRECTIONS, drop_checks, is_ours, replace_submodules, resets_around, used
from ..uncollected import uncollected
from .alike import form

__all__ = ["kinds"]

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
#: A port of a module for the clock domain, if it has registers.
_DOMAIN_PORT = re.compile(r"^  wire width 1 input \d+ +\\(clk|rst)$", re.MULTILINE)


def kinds(component: wiring.Component, name: str) -> list[str]:
    """RTLIL of `component`, which gets the name `name`, and of all in it: a module for each kind, the top last.

    Components that are alike share a module. Its name is `name` and that of the class, with a number if there are several
    kinds of it. Checks of the RTL are left out.
    """
    with uncollected():
        return _Kinds(component, name).texts


class _Kinds:
    def __init__(self, component: wiring.Component, name: str):
        self._prefix = name
        self._known: dict[Hashable, tuple[str, str]] = {}  # by form: name and text
        self.texts: list[str] = []
        self._convert(component, name)

    def _convert(self, component: wiring.Component, name: str) -> str:
        """Adds the text of a module, after those of what is new in it."""
        module = component.elaborate(None)
        replace_submodules(module, self._instance)
        fragment = Fragment.get(module, platform=None)
        drop_checks(fragment)
        ports = {port: (signal, DIRECTIONS[flow]) for port, flow, signal in _ports(component)}
        text = rtlil.convert(fragment, name=name, ports=ports, emit_src=False)
        self.texts.append(text)
        used(component)
        return text

    def _instance(self, submodule: Elaboratable) -> Elaboratable | Fragment:
        """What stands in the place of `submodule`, which may have resets of its own."""
        outer = submodule
        submodule, resets = resets_around(outer)
        if not isinstance(submodule, wiring.Component) or not is_ours(type(submodule)):
            return outer
        key = form(submodule)
        if key not in self._known:
            name = self._name(type(submodule))
            self._known[key] = name, self._convert(submodule, name)
        name, text = self._known[key]
        used(submodule)
        used(outer)
        directions = {wiring.In: "i", wiring.Out: "o"}
        ports = {f"{directions[flow]}_{port}": signal for port, flow, signal in _ports(submodule)}
        domain = {"clk": ClockSignal(), "rst": reduce(or_, resets, ResetSignal())}
        return Instance(name, **ports, **{f"i_{port}": domain[port] for port in _DOMAIN_PORT.findall(text)})

    def _name(self, class_: type) -> str:
        """A name for one more kind of that class."""
        base = f"{self._prefix}_{_CAPITAL.sub('_', class_.__name__).lower()}"
        taken = {name for name, _ in self._known.values()}
        numbered = (f"{base}_{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (base, *numbered) if name not in taken)


def _ports(component: wiring.Component) -> Iterator[tuple[str, wiring.Flow, Value]]:
    """Names, directions and signals of its ports, without those of no bits and those that are constant: of a stream that is always
    ready, for one.
    """
    for path, member, value in component.signature.flatten(component):
        if len(signal := Value.cast(value)) and not isinstance(signal, Const):
            yield "_".join(map(str, path)), member.flow, signal
