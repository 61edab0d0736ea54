"""The elaborated design: its instances, other ones in their place, and the design without its checks.

Amaranth keeps them behind interfaces that are not public; nothing else here uses them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from amaranth.build import Platform
from amaranth.hdl import Elaboratable, Fragment, Module, ResetInserter, Signal, Value
from amaranth.hdl._ast import Print, Property, Switch
from amaranth.hdl._ir import PortDirection
from amaranth.hdl._xfrm import TransformedElaboratable
from amaranth.lib import wiring

__all__ = [
    "DIRECTIONS",
    "Instance",
    "drop_checks",
    "hierarchy",
    "is_ours",
    "register_at",
    "replace_submodules",
    "resets_around",
    "used",
    "without_checks",
]

#: How Amaranth's back-ends are told of the direction of a port; one that nobody drives would be an input else.
DIRECTIONS = {wiring.In: PortDirection.Input, wiring.Out: PortDirection.Output}


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance: its name, the name of its class, and the instances in it."""

    name: str
    class_name: str
    inner: tuple["Instance", ...]


def hierarchy(top: Elaboratable, name: str) -> Instance:
    """The instances of `top`, which gets the name `name`. Primitives of Amaranth, as its memories, are left out."""
    return _instance(Fragment.get(top, platform=None), name)


def _instance(fragment: Fragment, name: str) -> Instance:
    inner = tuple(_instance(part, part_name) for part, part_name, _ in fragment.subfragments if _is_ours(part))
    return Instance(name, _class(fragment).__name__, inner)


def _class(fragment: Fragment) -> type:
    """The class whose `elaborate` made the fragment; one with a reset of its own is still of its class."""
    made_by = [one for one in fragment.origins or () if not isinstance(one, TransformedElaboratable)]
    return type(made_by[0] if made_by else fragment)


def _is_ours(fragment: Fragment) -> bool:
    return is_ours(_class(fragment))


def is_ours(class_: type) -> bool:
    """It is no primitive of Amaranth."""
    return not class_.__module__.startswith("amaranth.")


def register_at(top: Fragment, path: Sequence[str]) -> Signal:
    """The register of an elaborated design: by the names of the instances around it, and its own. Raises `LookupError`."""
    *instances, name = path
    for instance in instances:
        top = next((part for part, its, _ in top.subfragments if its == instance), Fragment())
    for statement in top.statements.get("sync", ()):
        for signal in statement._lhs_signals():
            if signal.name == name:
                return signal
    raise LookupError(f"no register is called {'.'.join(path)}")


def replace_submodules(module: Module, replacement: Callable[[Elaboratable], Elaboratable | Fragment]) -> None:
    """Puts `replacement(submodule)` in the place of each submodule of a `module` that is not elaborated yet."""
    named, others = module._named_submodules, module._anon_submodules
    for name, (submodule, location) in named.items():
        named[name] = replacement(submodule), location
    others[:] = [(replacement(submodule), location) for submodule, location in others]


def resets_around(elaboratable: Elaboratable) -> tuple[Elaboratable, tuple[Value, ...]]:
    """What is inside of the inserters of resets around `elaboratable`, and those resets; it itself, if there are none."""
    if not isinstance(elaboratable, TransformedElaboratable):
        return elaboratable, ()
    inserters = elaboratable._transforms_
    if not all(isinstance(one, ResetInserter) and set(one.controls) == {"sync"} for one in inserters):
        return elaboratable, ()
    return elaboratable._elaboratable_, tuple(one.controls["sync"] for one in inserters)


def used(value: object) -> None:
    """Nobody will elaborate `value` or the components that it holds, and that is no mistake."""
    if isinstance(value, Elaboratable) and not value._MustUse__used:
        value._MustUse__used = True
        used(list(vars(value).values()))
    elif isinstance(value, list | tuple):
        for part in value:
            used(part)


def without_checks(top: Elaboratable, platform: Platform | None = None) -> Fragment:
    """The elaborated `top` without any `Assert`, `Assume`, `Cover` and `Print`."""
    fragment = Fragment.get(top, platform)
    drop_checks(fragment)
    return fragment


def drop_checks(fragment: Fragment) -> None:
    """Takes any `Assert`, `Assume`, `Cover` and `Print` out of an elaborated design."""
    for inner, _, _ in fragment.subfragments:
        drop_checks(inner)
    kept = {domain: _logic(statements) for domain, statements in fragment.statements.items()}
    fragment.statements.clear()
    for domain, statements in kept.items():
        if statements:  # Amaranth wants no domain without statements
            fragment.add_statements(domain, statements)


def _logic(statements) -> list:
    """The statements that are no checks."""
    kept = []
    for statement in statements:
        if isinstance(statement, Switch):
            cases = [(patterns, _logic(inner), location) for patterns, inner, location in statement.cases]
            kept.append(Switch(statement.test, cases, src_loc=statement.src_loc))
        elif not isinstance(statement, Property | Print):
            kept.append(statement)
    return kept
