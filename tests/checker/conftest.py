"""Fixtures of the tests of the checker."""

from collections.abc import Callable, Iterable

import pytest

from vc4sim.checker import Broken, Finding, Strict


@pytest.fixture
def breaches() -> Callable[..., list[Finding]]:
    """Goes on after the first breach: `breaches(base, size, events)` gives all of them, one an instruction."""

    def collect(base: int, size: int, events: Iterable) -> list[Finding]:
        strict, found = Strict(base, size), []
        for event in events:
            try:
                strict(event)
            except Broken as broken:
                found.append(broken.finding)
        return found

    return collect
