"""The elaborated design: its instances, and the design without its checks.

Amaranth keeps both behind interfaces that are not public; nothing else here uses them.
"""

from dataclasses import dataclass

from amaranth.hdl import Elaboratable, Fragment
from amaranth.hdl._ast import Print, Property, Switch

__all__ = ["Instance", "hierarchy", "without_checks"]


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
    """The class whose `elaborate` made the fragment."""
    return type(fragment.origins[0] if fragment.origins else fragment)


def _is_ours(fragment: Fragment) -> bool:
    return not _class(fragment).__module__.startswith("amaranth.")


def without_checks(top: Elaboratable) -> Fragment:
    """The elaborated `top` without any `Assert`, `Assume`, `Cover` and `Print`."""
    fragment = Fragment.get(top, platform=None)
    _drop_checks(fragment)
    return fragment


def _drop_checks(fragment: Fragment) -> None:
    for inner, _, _ in fragment.subfragments:
        _drop_checks(inner)
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
